/// Something that is measured, and that proves that the work was really done.
protocol Scenario: Sendable {
    /// What it is called on the command line and in the output.
    var name: String { get }
    /// What the values are: `ns`, `lines/s` …
    var unit: String { get }
    /// Whether a larger value is the better one.
    var largerIsBetter: Bool { get }
    /// Whether it runs without being named.
    var isDefault: Bool { get }
    /// Measures once.
    func run() throws -> [Measurement]
}

extension Scenario {
    var largerIsBetter: Bool { false }
    var isDefault: Bool { true }
    /// What a chart says of its bars.
    var note: String { largerIsBetter ? "longer is better" : "shorter is better" }
}

/// One value of a run; a scenario with several of them names each.
struct Measurement {
    var part = ""
    let value: Double
    /// What the value is, where it is not what the scenario's values are.
    var unit: String?
}

/// What a scenario throws when its result is not what it must be.
struct WrongResult: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw WrongResult(text()) }
}
