// swift-tools-version: 6.2

import PackageDescription

// A program that uses the product Heartwood and nothing else, and one that also configures and reads; `Tests/check-core` builds
// them and looks at what they link.

let package = Package(
    name: "core-only",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heartwood", path: "../..")],
    targets: [
        .executableTarget(
            name: "core-only", dependencies: [.product(name: "Heartwood", package: "heartwood")]),
        .executableTarget(
            name: "without-archives",
            dependencies: [
                .product(name: "HeartwoodConfiguration", package: "heartwood"),
                .product(name: "HeartwoodReading", package: "heartwood"),
            ]),
    ]
)
