import Foundation
import SuiteSupport
import Testing

/// The privacy manifest for Apple's systems: its form, and whether it says what the code does.
@Suite("The privacy manifest", .inTurn)
struct PrivacyManifestTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Apple's categories of required-reason APIs: the reasons that each allows, and the functions and names that belong to it,
    /// as far as this package could call them.
    private static let categories: [String: (reasons: Set<String>, calls: [String])] = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": (
            ["DDA9.1", "C617.1", "3B52.1", "0A2A.1"],
            [
                "stat(", "fstat(", "lstat(", "fstatat(", "getattrlist", "creationDate", "modificationDate",
                "contentModificationDateKey",
            ]
        ),
        "NSPrivacyAccessedAPICategorySystemBootTime": (
            ["35F9.1", "8FFB.1", "3D61.1"],
            ["systemUptime", "mach_absolute_time", "CLOCK_MONOTONIC", "CLOCK_UPTIME_RAW"]
        ),
        "NSPrivacyAccessedAPICategoryDiskSpace": (
            ["85F4.1", "E174.1", "7D9E.1", "B728.1"],
            ["statvfs(", "fstatvfs(", "statfs(", "fstatfs(", "volumeAvailableCapacity", "systemFreeSize"]
        ),
        "NSPrivacyAccessedAPICategoryActiveKeyboards": (["3EC4.1", "54BD.1"], ["activeInputModes"]),
        "NSPrivacyAccessedAPICategoryUserDefaults": (
            ["CA92.1", "1C8F.1", "C56D.1", "AC6B.1"], ["UserDefaults"]
        ),
    ]

    private func manifest() throws -> [String: Any] {
        let file = Self.root.appendingPathComponent("Sources/Heartwood/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return try #require(list as? [String: Any])
    }

    /// The reasons by category, as the manifest declares them.
    private func declared() throws -> [String: [String]] {
        var declared: [String: [String]] = [:]
        let entries = try #require(try manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        for entry in entries {
            #expect(Set(entry.keys) == ["NSPrivacyAccessedAPIType", "NSPrivacyAccessedAPITypeReasons"])
            let category = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            #expect(declared[category] == nil, "\(category) is there twice")
            declared[category] = try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
        }
        return declared
    }

    @Test("It has exactly Apple's four keys, and declares neither tracking nor collected data")
    func form() throws {
        let manifest = try manifest()
        #expect(
            Set(manifest.keys) == [
                "NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes",
                "NSPrivacyAccessedAPITypes",
            ])
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
    }

    @Test("Each category and reason is one of Apple's")
    func reasons() throws {
        for (category, reasons) in try declared() {
            let known = try #require(Self.categories[category]?.reasons, "\(category)")
            #expect(!reasons.isEmpty && Set(reasons).isSubset(of: known), "\(category): \(reasons)")
        }
    }

    @Test("It declares exactly the categories whose functions the libraries call")
    func calls() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.subpaths(atPath: sources.path))
        var used: Set<String> = []
        for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".c") || path.hasSuffix(".h") {
            // The tool does not run there.
            if path.hasPrefix("HeartwoodTool/") { continue }
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            let code = text.split(separator: "\n").filter { line in
                !line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
            }.joined(separator: "\n")
            for (category, entry) in Self.categories where entry.calls.contains(where: code.contains) {
                used.insert(category)
            }
        }
        #expect(Set(try declared().keys) == used)
    }

    @Test(
        "The page about getting started names each category's reason, and the manifest is a resource of the package"
    )
    func documented() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("Docs/GettingStarted.md"), encoding: .utf8)
        for reason in try declared().values.joined() { #expect(page.contains("`\(reason)`"), "\(reason)") }
        let package = try String(
            contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(package.contains(#".copy("PrivacyInfo.xcprivacy")"#))
    }
}
