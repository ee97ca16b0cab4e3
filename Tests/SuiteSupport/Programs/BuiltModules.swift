import Foundation

/// The compiler, and the modules as they were built for the tests at hand.
package struct BuiltModules {
    /// The path of `swiftc`.
    package let compiler: String
    /// The directory that the build has put its products into.
    package let products: String
    /// The package's root.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Finds them; nil, with the reason printed, if one of them is missing.
    ///
    /// - Parameter module: A module that a program imports.
    package init?(_ module: String) {
        let bundle = Bundle.main.bundleURL
        let candidates = [bundle, bundle.deletingLastPathComponent()].map(\.path)
        let found = candidates.first {
            FileManager.default.fileExists(atPath: $0 + "/Modules/\(module).swiftmodule")
        }
        guard let products = found else {
            print("skipped: no built module \(module) near \(bundle.path)")
            return nil
        }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let compiler = path.map({ $0 + "/swiftc" }).first(where: FileManager.default.isExecutableFile)
        else {
            print("skipped: swiftc is not in PATH")
            return nil
        }
        (self.compiler, self.products) = (compiler, products)
    }

    /// What the compiler needs to import the modules, `CHeartwood` included.
    package var imports: [String] {
        [
            "-I", products + "/Modules", "-Xcc", "-I\(BuiltModules.root)/Sources/CHeartwood/include",
            "-Xcc", "-fmodule-map-file=\(products)/CHeartwood.build/module.modulemap",
        ]
    }
}
