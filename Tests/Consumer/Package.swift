// swift-tools-version: 6.2

import PackageDescription

// A package that uses Heartwood as yours does: from outside, by its public API alone. Its tests derive from every class that
// may be derived from and adopt every protocol that may be adopted; and they compile the samples of the documents.
//
//     swift test --package-path Tests/Consumer --scratch-path .build/consumer

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heartwood", path: "../..")],
    targets: [
        // Ten files as apps have them that were written against CocoaLumberjack: nothing but the import was changed.
        .target(
            name: "LumberjackCorpus",
            dependencies: [.product(name: "HeartwoodLumberjack", package: "heartwood")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ConsumerTests",
            dependencies: [
                "LumberjackCorpus",
                .product(name: "HeartwoodLumberjack", package: "heartwood"),
                .product(name: "Heartwood", package: "heartwood"),
                .product(name: "HeartwoodArchive", package: "heartwood"),
                .product(name: "HeartwoodConfiguration", package: "heartwood"),
                .product(name: "HeartwoodHTTP", package: "heartwood"),
                .product(name: "HeartwoodReading", package: "heartwood"),
                .product(name: "HeartwoodEvents", package: "heartwood"),
                .product(name: "HeartwoodSQLite", package: "heartwood"),
                .product(name: "HeartwoodTestSupport", package: "heartwood"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
