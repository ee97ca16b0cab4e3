import Foundation
import SuiteSupport
import Testing

@Suite("The console logger at a real terminal", .inTurn)
struct TerminalTests {
    private static let hasTmux = access("/usr/bin/tmux", X_OK) == 0

    /// What a terminal of tmux shows when the demonstration has run in it, with its escape sequences.
    private func screen(_ environment: String) async throws -> [String] {
        let tool = try ToolProcess()
        _ = try await tool.shell(
            """
            tmux() { /usr/bin/tmux -S socket -f /dev/null "$@"; }
            tmux new-session -d -x 200 -y 50 \
                "\(environment) '$HEARTWOOD' demo --seconds 1 --directory logs; echo THE END; sleep 60" \
                < /dev/null > /dev/null 2>&1
            for try in $(seq 1200); do
                tmux capture-pane -e -p -S -3000 > screen
                grep -q '^THE END' screen && break
                sleep 0.1
            done
            tmux kill-server
            """)
        let text = try String(contentsOf: tool.scratch.appendingPathComponent("screen"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("Levels are coloured, each in its own way", .enabled(if: hasTmux, "tmux is not installed"))
    func colours() async throws {
        let lines = try await screen("env -u NO_COLOR -u FORCE_COLOR TERM=screen")
        try #require(lines.contains { $0.hasPrefix("THE END") }, "\(lines.suffix(5))")
        for (level, sequence) in [
            ("error", "[31m"), ("warning", "[33m"), ("info", "[32m"), ("notice", "[36m"),
        ] {
            let found = lines.filter { $0.contains("m\(level)") }
            #expect(!found.isEmpty, "\(level)")
            #expect(found.allSatisfy { $0.contains("\u{1B}\(sequence)\(level)") }, "\(found.prefix(2))")
        }
        #expect(lines.contains { $0.contains("\u{1B}[2m  Shop.swift:") }, "the place is faint")
        #expect(lines.contains { $0.contains("\u{1B}[35mpayments") }, "a category has its own color")
        #expect(lines.contains { $0.contains("\u{1B}[36m {till=") }, "fields have their own color")
    }

    @Test("NO_COLOR is obeyed", .enabled(if: hasTmux, "tmux is not installed"))
    func plain() async throws {
        let lines = try await screen("NO_COLOR=1")
        try #require(lines.contains { $0.hasPrefix("THE END") }, "\(lines.suffix(5))")
        let messages = lines.filter { $0.contains("Shop.swift:") }
        #expect(messages.count > 10)
        #expect(messages.allSatisfy { !$0.contains("\u{1B}") }, "\(messages.prefix(2))")
    }
}
