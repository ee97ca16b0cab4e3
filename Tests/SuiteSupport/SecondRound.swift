package import Testing

/// Expects that a used part behaves as a new one.
///
/// Whatever it has lived through, a round of its life is the same as the first of a new one. A round before is one of the lives.
///
/// - Parameters:
///   - make: Makes a new part.
///   - lives: What it may have lived through, by name.
///   - sourceLocation: Where the test is.
///   - round: Drives a part through a round, and tells what can be seen of it, without names and numbers that only grow.
/// - Throws: what the closures throw for a new part.
package func expectAsNew<Part>(
    _ make: () async throws -> Part, after lives: KeyValuePairs<String, (inout Part) async throws -> Void>,
    sourceLocation: SourceLocation = #_sourceLocation, round: (inout Part) async throws -> [String]
) async throws {
    var new = try await make()
    let expected = try await round(&new)
    #expect(!expected.isEmpty, sourceLocation: sourceLocation)
    func compare(_ story: [String], _ life: String) {
        let length = max(story.count, expected.count)
        func padded(_ lines: [String]) -> [String] {
            lines + Array(repeating: "nothing", count: length - lines.count)
        }
        let differences = zip(padded(story), padded(expected)).filter { $0 != $1 }.map {
            "\($0)\n    new: \($1)"
        }
        guard !differences.isEmpty else { return }
        Issue.record(
            "after \(life):\n    \(differences.joined(separator: "\n    "))", sourceLocation: sourceLocation)
    }
    compare(try await round(&new), "a round")
    for (name, live) in lives {
        do {
            var used = try await make()
            try await live(&used)
            compare(try await round(&used), name)
            compare(try await round(&used), "\(name), and a round")
        } catch {
            Issue.record("after \(name): \(error)", sourceLocation: sourceLocation)
        }
    }
}
