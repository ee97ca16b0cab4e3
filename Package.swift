// swift-tools-version: 6.2

import PackageDescription

/// Warnings are errors only where `HEARTWOOD_STRICT` is set, as `.ci/run` does.
///
/// A consumer's build never sets it: a newer compiler must not break the packages that use this one, and `CI` is set in
/// their builds too.
let strictness: [SwiftSetting] =
    Context.environment["HEARTWOOD_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictness

/// swift-log, for its bridge, where the trait asks for that.
let swiftLog = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"]))

/// The privacy manifest belongs to Apple's systems; elsewhere it is no resource, so that the core needs no Foundation for it.
#if os(macOS)
let privacyManifest: (resources: [Resource], excluded: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
let privacyManifest: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "heartwood",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Heartwood", targets: ["Heartwood"]),
        .library(name: "HeartwoodArchive", targets: ["HeartwoodArchive"]),
        .library(name: "HeartwoodReading", targets: ["HeartwoodReading"]),
        .library(name: "HeartwoodConfiguration", targets: ["HeartwoodConfiguration"]),
        .library(name: "HeartwoodHTTP", targets: ["HeartwoodHTTP"]),
        .library(name: "HeartwoodEvents", targets: ["HeartwoodEvents"]),
        .library(name: "HeartwoodSQLite", targets: ["HeartwoodSQLite"]),
        .library(name: "HeartwoodSwiftLog", targets: ["HeartwoodSwiftLog"]),
        .library(name: "HeartwoodLumberjack", targets: ["HeartwoodLumberjack"]),
        .library(name: "HeartwoodTestSupport", targets: ["HeartwoodTestSupport"]),
        .executable(name: "heartwood", targets: ["HeartwoodTool"]),
    ],
    traits: [
        .trait(name: "FloorDebug", description: "Removes verbose calls from the binary."),
        .trait(
            name: "FloorInfo", description: "Removes verbose and debug calls from the binary.",
            enabledTraits: ["FloorDebug"]),
        .trait(
            name: "FloorNotice", description: "Removes verbose to info calls from the binary.",
            enabledTraits: ["FloorInfo"]),
        .trait(
            name: "FloorWarning", description: "Removes verbose to notice calls from the binary.",
            enabledTraits: ["FloorNotice"]),
        .trait(
            name: "FloorError", description: "Removes verbose to warning calls from the binary.",
            enabledTraits: ["FloorWarning"]),
        .trait(
            name: "SwiftLog",
            description: "Builds the bridge from swift-log, for which that package is fetched."),
    ],
    // Resolved only with the trait: all that use it do so under that condition.
    dependencies: [.package(url: "https://github.com/apple/swift-log.git", from: "1.6.0")],
    targets: [
        .target(name: "CHeartwood"),
        // The page of `heartwood view`, whose files page.c embeds, and signals of the command.
        .target(
            name: "CHeartwoodTool",
            exclude: ["page.html", "page.css", "state.js", "list.js", "tools.js", "record.js"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),

        .target(name: "HeartwoodSystem", dependencies: ["CHeartwood"], swiftSettings: settings),
        .target(
            name: "Heartwood",
            dependencies: ["HeartwoodSystem", "CHeartwood"],
            exclude: privacyManifest.excluded,
            resources: privacyManifest.resources,
            swiftSettings: settings),
        .target(
            name: "HeartwoodArchive",
            dependencies: [
                "Heartwood", "CZlib", .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(
            name: "HeartwoodReading", dependencies: ["Heartwood", "CHeartwood"], swiftSettings: settings),
        .target(
            name: "HeartwoodConfiguration", dependencies: ["Heartwood", "CHeartwood"], swiftSettings: settings
        ),
        .target(
            name: "HeartwoodHTTP",
            dependencies: [
                "Heartwood", "HeartwoodArchive", "HeartwoodConfiguration", "CHeartwood",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(
            name: "HeartwoodEvents", dependencies: ["Heartwood", "HeartwoodHTTP", "CHeartwood"],
            swiftSettings: settings),
        .target(
            name: "HeartwoodSQLite",
            dependencies: ["Heartwood", "HeartwoodConfiguration", "CHeartwood", "CSQLite"],
            swiftSettings: settings),
        .target(
            name: "HeartwoodSwiftLog", dependencies: ["Heartwood", swiftLog],
            swiftSettings: settings),
        .target(name: "HeartwoodLumberjack", dependencies: ["Heartwood"], swiftSettings: settings),
        .target(
            name: "HeartwoodServer", dependencies: ["Heartwood", "HeartwoodHTTP", "CHeartwood"],
            swiftSettings: settings),
        .target(
            name: "HeartwoodTestSupport",
            dependencies: ["Heartwood", "HeartwoodHTTP", "HeartwoodServer", "CHeartwood"],
            swiftSettings: settings),
        .executableTarget(
            name: "HeartwoodTool",
            dependencies: [
                "Heartwood", "HeartwoodArchive", "HeartwoodReading", "HeartwoodConfiguration",
                "HeartwoodHTTP", "HeartwoodEvents", "HeartwoodSQLite", "HeartwoodServer", "CHeartwood",
                "CHeartwoodTool", "CPCRE2",
            ],
            swiftSettings: settings),

        // What all tests share; see Docs/Contributing.md.
        .target(
            name: "SuiteSupport", dependencies: ["Heartwood"], path: "Tests/SuiteSupport",
            swiftSettings: settings),
        // What the tests of the core and of the modules above it share.
        .target(
            name: "CoreFixtures", dependencies: ["Heartwood", "HeartwoodTestSupport", "SuiteSupport"],
            path: "Tests/CoreFixtures", swiftSettings: settings),

        .testTarget(
            name: "HeartwoodTests",
            dependencies: [
                "Heartwood", "HeartwoodArchive", "HeartwoodReading", "HeartwoodTestSupport", "CoreFixtures",
                "SuiteSupport",
            ],
            exclude: ["Corpus"],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodReadingTests",
            dependencies: [
                "HeartwoodReading", "HeartwoodArchive", "HeartwoodTestSupport", "CoreFixtures",
                "SuiteSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodConfigurationTests",
            dependencies: [
                "HeartwoodConfiguration", "HeartwoodArchive", "HeartwoodTestSupport", "CoreFixtures",
                "SuiteSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodHTTPTests",
            dependencies: [
                "HeartwoodHTTP", "HeartwoodArchive", "HeartwoodConfiguration", "HeartwoodTestSupport",
                "CoreFixtures", "SuiteSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodEventsTests",
            dependencies: [
                "HeartwoodEvents", "HeartwoodHTTP", "HeartwoodTestSupport", "SuiteSupport", "CHeartwood",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodSQLiteTests",
            dependencies: [
                "HeartwoodSQLite", "Heartwood", "HeartwoodTestSupport", "CoreFixtures", "SuiteSupport",
                "CHeartwood", "CSQLite",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodLumberjackTests",
            dependencies: ["HeartwoodLumberjack", "Heartwood", "HeartwoodTestSupport", "SuiteSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodSwiftLogTests",
            dependencies: [
                "HeartwoodSwiftLog", "Heartwood", "HeartwoodTestSupport", "SuiteSupport", swiftLog,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HeartwoodToolTests",
            dependencies: [
                "HeartwoodTool", "Heartwood", "HeartwoodArchive", "HeartwoodReading",
                "HeartwoodConfiguration", "HeartwoodHTTP", "HeartwoodEvents", "HeartwoodLumberjack",
                "HeartwoodSQLite", "HeartwoodServer", "HeartwoodTestSupport", "CoreFixtures", "SuiteSupport",
                "CSQLite",
            ],
            swiftSettings: settings),
    ]
)

// `HEARTWOOD_TESTS=HeartwoodTests swift build --build-tests` builds these test targets alone, with what they need.
if let names = Context.environment["HEARTWOOD_TESTS"] {
    var wanted: Set<String> = []
    var due = names.split(separator: ",").map(String.init)
    while let name = due.popLast() {
        guard wanted.insert(name).inserted, let target = package.targets.first(where: { $0.name == name })
        else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): due.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products = []
    if !wanted.contains("HeartwoodSwiftLog") { (package.dependencies, package.traits) = ([], []) }
}
