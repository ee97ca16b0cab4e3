// swift-tools-version: 6.2

import PackageDescription

// A small stand-in for swift-log, so that the bridge's tests run on a machine that has only this repository.
let package = Package(
    name: "swift-log",
    products: [.library(name: "Logging", targets: ["Logging"])],
    targets: [.target(name: "Logging")]
)
