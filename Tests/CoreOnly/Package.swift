// swift-tools-version: 6.2

import PackageDescription

// A program that uses the product Heartwood and nothing else; `Tests/check-core` builds it and looks at what it links.

let package = Package(
    name: "core-only",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heartwood", path: "../..")],
    targets: [
        .executableTarget(
            name: "core-only", dependencies: [.product(name: "Heartwood", package: "heartwood")])
    ]
)
