// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "heartwood-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heartwood", path: "..")],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "heartwood-benchmark",
            dependencies: [
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodArchive", package: "heartwood"),
                .product(name: "HeartwoodEvents", package: "heartwood"),
                .product(name: "HeartwoodHTTP", package: "heartwood"),
                .product(name: "HeartwoodReading", package: "heartwood"),
                .product(name: "HeartwoodSQLite", package: "heartwood"),
                .product(name: "HeartwoodTestSupport", package: "heartwood"), "CAllocations",
            ]),
    ]
)
