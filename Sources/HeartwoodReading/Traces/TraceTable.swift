import HeartwoodSystem
import CHeartwood

/// What the traces of the languages look like, as data for ``TraceLines``.
///
/// In the texts, `%` matches a number, `~` letters, `_` and `/`, and `$` the end of the line.
enum TraceTable {
    typealias Bytes = UnsafeRawBufferPointer

    /// The languages that a trace may be of.
    struct Languages: OptionSet {
        let rawValue: UInt16

        static let python = Languages(rawValue: 1)
        static let java = Languages(rawValue: 2)
        static let dotNet = Languages(rawValue: 4)
        static let node = Languages(rawValue: 8)
        static let go = Languages(rawValue: 16)
        static let rust = Languages(rawValue: 32)
        static let swift = Languages(rawValue: 64)
        static let ruby = Languages(rawValue: 128)
        static let php = Languages(rawValue: 256)
        static let native = Languages(rawValue: 512)

        /// What may follow an exception's name.
        static let named: Languages = [.python, .java, .dotNet, .node, .rust, .php]
        /// Traces that have blank lines between their parts.
        static let spaced: Languages = [.python, .node, .go, .rust, .swift, .php, .native]
        static let all = Languages(rawValue: .max)
    }

    /// What a record has had so far.
    enum Phase: UInt8 {
        case plain
        /// The beginning of a Python traceback: the exception's line comes after the frames.
        case head
        /// An exception's name, and no frame yet.
        case name
        /// The same, but the line may as well be an ordinary one: a blank line does not belong to it.
        case mention
        /// The same in Ruby, which shows the source line after a blank line.
        case marked
        /// A line after which another follows, whatever it says.
        case expects
        /// Node's place of the error: the source line and a caret follow.
        case location, caret
        /// Pydantic's names of fields follow.
        case fields
        case frames
        /// The announcement of another trace, and the last line of one.
        case chain, over
    }

    /// What a line is to a record.
    struct Roles: OptionSet {
        let rawValue: UInt8

        /// It begins one.
        static let begins = Roles(rawValue: 1)
        /// It joins an error or an exception that has no frames yet; else it begins a record.
        static let joinsErrors = Roles(rawValue: 2)
        /// The same, but it begins none.
        static let followsErrors = Roles(rawValue: 4)
        /// It joins a trace of its language.
        static let joinsOwn = Roles(rawValue: 8)
        /// It joins any record.
        static let joins = Roles(rawValue: 16)
    }

    /// What a line says that has one of the texts of a row.
    struct Shape: Sendable {
        let languages: Languages
        let roles: Roles
        let then: Phase
    }

    private struct Row {
        let shape: Shape
        let texts: [StaticString]

        init(_ languages: Languages, _ roles: Roles, _ then: Phase, _ texts: [StaticString]) {
            shape = Shape(languages: languages, roles: roles, then: then)
            self.texts = texts
        }
    }

    // MARK: The table

    /// What lines begin with.
    private static let starts = Index([
        // Python
        Row(.python, .joinsErrors, .head, ["Traceback (most recent call last):"]),
        Row(.python, .joins, .frames, ["Stack (most recent call last):"]),
        Row(
            .python, .joins, .chain,
            ["During handling of the above exception, ", "The above exception was the direct cause "]),
        Row(.python, .followsErrors, .chain, ["future: <", "handle: <", "task: <"]),
        Row(.python, .begins, .chain, ["--- Logging error ---$", "Exception ignored in: "]),
        Row(.python, .begins, .frames, ["Fatal Python error: "]),
        Row(.python, .joinsOwn, .chain, ["\"\"\"$"]),
        Row(
            .python, .joinsOwn, .frames,
            [
                "LINE %: ", "HINT: ", "DETAIL: ", "CONTEXT: ", "[SQL: ", "[parameters: ", "(Background on ",
                "Call stack:$", "Message: ", "Arguments: ", "Current thread 0x", "Thread 0x",
                "Extension modules: ", "Python runtime state: ", "<no Python frame>",
            ]),
        // Java, Kotlin and .NET
        Row([.java, .python], .begins, .name, ["Exception in thread "]),
        Row(.java, .begins, .name, ["Uncaught Kotlin exception: "]),
        Row(.java, .joins, .name, ["Caused by: ", "Suppressed: ", "Wrapped by: "]),
        Row(.java, .joins, .frames, ["... % more", "... % common frames omitted"]),
        Row(.dotNet, .joins, .frames, ["--- End of stack trace ", "--- End of inner exception "]),
        Row(.dotNet, .begins, .name, ["Unhandled exception. ", "Unhandled Exception: "]),
        Row(.dotNet, .joinsOwn, .frames, ["ClientConnectionId:", "Error Number:"]),
        // Node
        Row(.node, .begins, .name, ["Uncaught ", "error: Uncaught "]),
        Row(.node, .begins, .mention, ["(node:%) "]),
        Row(.node, .begins, .location, ["node:~:%$"]),
        Row(.node, .joinsOwn, .frames, ["Thrown at:$", "(Use `node "]),
        Row(.node, .joinsOwn, .over, ["Node.js v%."]),
        // Go
        Row(
            .go, .begins, .name,
            [
                "panic: ", "unexpected fault address ", "runtime: goroutine stack exceeds ", "SIGQUIT: ",
                "SIGSEGV: ", "SIGABRT: ",
            ]),
        Row(.go, [.begins, .joinsOwn], .name, ["fatal error: "]),
        Row(.go, .joins, .frames, ["goroutine % ["]),
        Row(
            .go, .joinsOwn, .frames,
            [
                "[signal ", "[originating from ", "created by ", "runtime stack:$", "runtime: ", "PC=",
                "...additional frames elided", "...% frames elided...", "Previous ", "Goroutine ",
                "Write at 0x", "Read at 0x", "Found % data race",
            ]),
        Row(.go, [.begins, .joinsOwn], .frames, ["WARNING: DATA RACE"]),
        Row(.go, .joinsOwn, .over, ["exit status %$"]),
        Row([.go, .native], [.begins, .joinsOwn], .chain, ["=================="]),
        // Rust
        Row(.rust, .begins, .name, ["thread '"]),
        Row(.named, .begins, .name, ["Error: "]),
        Row(
            .rust, .joins, .frames, ["Caused by:$", "note: run with `RUST_BACKTRACE", "stack backtrace:$"]),
        Row(
            .rust, .joinsOwn, .frames,
            [
                "note: ", "Stack backtrace:$", "fatal runtime error: ", "thread caused ",
                "thread panicked while ",
            ]),
        // Swift
        Row(
            .swift, [.joinsErrors, .joinsOwn], .frames,
            ["💣 ", "*** ", "Current stack trace", "Stack dump:", "Thread %"]),
        Row(
            .swift, .joinsOwn, .frames,
            ["Platform:", "Registers:", "Images (", "Backtrace ", "Press ", "Crash", "0x", "...$"]),
        // Ruby
        Row(.ruby, .joinsOwn, .name, ["Did you mean?", "Causes:$"]),
        Row(.ruby, .joinsOwn, .frames, ["> % |"]),
        // PHP
        Row(.php, .begins, .name, ["PHP Fatal error: ", "Fatal error: Uncaught "]),
        Row(.php, .joinsOwn, .name, ["Next "]),
        Row(.php, [.joinsErrors, .joinsOwn], .frames, ["Stack trace:$"]),
        Row([.php, .native], .followsErrors, .frames, ["#0 "]),
        Row(.php, .joinsOwn, .frames, ["PHP Stack trace:$", "PHP %. ", "#% "]),
        Row(.php, .joins, .frames, ["[stacktrace]$", "#% /", "#% {main}", "#% [internal function]"]),
        Row(.php, .joins, .name, ["[previous exception] "]),
        Row(.php, .joins, .over, ["\"}$", "\"} $"]),
        // C and C++
        Row(
            .native, .begins, .frames,
            [
                "terminate called ", "libc++abi: terminating ", "AddressSanitizer:DEADLYSIGNAL",
                "Program received signal ", "Program terminated with signal ", "==%==ERROR: ",
            ]),
        Row(.native, .joins, .frames, ["#%  0x", "#% 0x"]),
        Row(.native, .joinsOwn, .over, ["==%==ABORTING"]),
        Row(
            .native, .joinsOwn, .frames,
            [
                "==%==", "=>0x", "0x", "#% ", "%\t", "READ of size ", "WRITE of size ", "Address 0x",
                "freed by thread ", "previously allocated by ", "allocated by ", "Direct leak of ", "HINT: ",
                "Indirect leak of ", "SUMMARY: ", "Shadow byte", "AddressSanitizer can not ", "PC: @",
            ]),
        Row(
            .all, .joinsOwn, .over,
            ["Aborted$", "Aborted (core dumped)$", "Segmentation fault (core dumped)$"]),
    ])

    /// What a trace has somewhere in its first line.
    private static let insides = Inside([
        Row(.rust, .begins, .name, ["panicked at "]),
        Row(.php, .begins, .name, ["PHP Fatal error: ", "Fatal error: Uncaught "]),
        Row(.swift, .begins, .frames, ["Fatal error: "]),
        Row(.ruby, .begins, .frames, [":%:in '", ":%:in `"]),
        Row(.native, .begins, .frames, ["Sanitizer: ", "received signal SIG"]),
        Row(.named, .joinsErrors, .mention, ["Exception: ", "Exception:$", "Error: ", "Error:$"]),
    ])

    /// What a line without a blank ends with that is a place in a program.
    private static let places = Inside([
        Row(.node, .begins, .location, [".js:%$", ".mjs:%$", ".cjs:%$", ".ts:%$"])
    ])

    /// What frames and parts of traces begin with that are indented.
    private static let indented = Index([
        Row(
            .all, .joinsOwn, .frames,
            ["at ", "from ", "File \"", "... % ", "--- End of ", "#%", "%: ", "@ 0x"]),
        Row([.java, .dotNet], .joinsOwn, .name, ["---> ", "Caused by: ", "Suppressed: "]),
        Row(.php, .joinsOwn, .over, ["thrown in "]),
    ])

    /// What the names of exceptions end with.
    static let exceptions: [StaticString] = [
        "Exception", "Error", "Throwable", "Failure", "Fault", "Interrupt", "ExceptionGroup", "Traceback",
        "UnhandledPromiseRejection",
    ]

    /// What further lines of an exception's message begin with, besides one word and a colon.
    static let messages: [StaticString] = [
        ";", "###", "- ", "+ ", "Internal Exception: ", "Exception Description: ", "Error Code: ",
        "File name: ", "Parameter name: ", "Expecting", "Call getNextException", "Require stack:$", "to be ",
        "but was",
    ]

    /// Words before a colon that are a level, so that the line is no message's.
    static let levels: [StaticString] = [
        "trace", "debug", "verbose", "fine", "info", "information", "notice", "warn", "warning", "error",
        "err", "severe", "critical", "crit", "fatal", "alert", "emerg", "emergency", "panic",
    ]

    /// The exceptions after which Ruby shows the source line.
    static let marked: [StaticString] = [
        "(NoMethodError)", "(NameError)", "(TypeError)", "(ArgumentError)", "(KeyError)",
    ]

    // MARK: Matching

    /// The texts by their first bytes, so that most bytes of a line need one look.
    private struct Index: Sendable {
        private var roles = [UInt8](repeating: 0, count: 256)
        /// Where the entries of each first byte begin.
        private var starts: [Int] = [0]
        private var entries: [(shape: Shape, text: StaticString)] = []

        init(_ rows: [Row]) {
            for byte in 0..<256 {
                for row in rows {
                    for text in row.texts {
                        let first = text.utf8Start.pointee
                        let isNumber = first == UInt8(ascii: "%") && 0x30...0x39 ~= byte
                        guard byte == first || isNumber else { continue }
                        roles[byte] |= row.shape.roles.rawValue
                        entries.append((row.shape, text))
                    }
                }
                starts.append(entries.count)
            }
        }

        /// The first text that a line begins with, of those that have a role.
        func first(_ roles: Roles, _ languages: Languages, in line: Bytes) -> Shape? {
            guard let first = line.first, self.roles[Int(first)] & roles.rawValue != 0 else { return nil }
            for index in starts[Int(first)]..<starts[Int(first) + 1] {
                let shape = entries[index].shape
                let own = shape.roles.intersection(roles)
                if own.isEmpty || own == .joinsOwn && shape.languages.isDisjoint(with: languages) { continue }
                if begins(line, entries[index].text) { return shape }
            }
            return nil
        }
    }

    /// The texts that may be anywhere in a line, of which up to 64 are looked for in one walk.
    private struct Inside: Sendable {
        /// What `hw_next_trigger` expects: the first three bytes of the texts.
        private var table = [UInt64](repeating: 0, count: 768)
        /// The entries of each set of roles, as bits.
        private var wanted = [UInt64](repeating: 0, count: 256)
        private let entries: [(shape: Shape, text: StaticString)]

        init(_ rows: [Row]) {
            entries = rows.flatMap { row in row.texts.map { (row.shape, $0) } }
            precondition(entries.count <= 64)
            for (bit, entry) in entries.enumerated() {
                for roles in wanted.indices where entry.shape.roles.rawValue & UInt8(roles) != 0 {
                    wanted[roles] |= 1 << UInt64(bit)
                }
                let codes = entry.text.withUTF8Buffer { $0.prefix(3).map { $0 } }
                // The length of a number is not known.
                let known = codes.firstIndex { "%~$".utf8.contains($0) } ?? codes.count
                for place in 0..<3 {
                    for byte in UInt8.min ... .max {
                        let isNumber = place == known && known < codes.count && codes[known] == .percent
                        let isAllowed =
                            place < known ? byte == codes[place] : !isNumber || byte.isDigit
                        if isAllowed { table[place * 256 + Int(byte)] |= 1 << UInt64(bit) }
                    }
                }
            }
        }

        /// The first text of one of the roles.
        func first(_ roles: Roles, in line: Bytes) -> Shape? {
            guard let base = line.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
            let wanted = wanted[Int(roles.rawValue)]
            var which: UInt64 = 0
            var place = hw_next_trigger(table, base, line.count, 0, &which)
            while place < line.count {
                which &= wanted
                while which != 0 {
                    let entry = entries[which.trailingZeroBitCount]
                    which &= which &- 1
                    if begins(Bytes(rebasing: line[place...]), entry.text) { return entry.shape }
                }
                place = hw_next_trigger(table, base, line.count, place + 1, &which)
            }
            return nil
        }
    }

    /// The first shape with one of the roles that a line begins with; a trace's own needs its language.
    static func start(_ roles: Roles, _ languages: Languages = [], of line: Bytes) -> Shape? {
        starts.first(roles, languages, in: line)
    }

    /// The first shape that is anywhere in a line.
    static func inside(_ line: Bytes, _ roles: Roles) -> Shape? {
        insides.first(roles, in: line) ?? (line.contains(.space) ? nil : places.first(roles, in: line))
    }

    /// The shape of a trace of the languages that a line begins with after its indentation.
    static func indented(_ languages: Languages, _ text: Bytes) -> Shape? {
        indented.first(.joinsOwn, languages, in: text)
    }

    /// Whether a line begins with a text.
    static func begins(_ line: Bytes, _ text: StaticString) -> Bool {
        var index = 0
        for position in 0..<text.utf8CodeUnitCount {
            switch text.utf8Start[position] {
            case UInt8(ascii: "$"): return index == line.count
            case UInt8(ascii: "%"):
                let start = index
                while index < line.count, line[index].isDigit { index += 1 }
                if index == start { return false }
            case UInt8(ascii: "~"):
                index += line[index...].prefix { $0.isLetter || $0 == .underscore || $0 == .slash }.count
            case let byte:
                guard index < line.count, line[index] == byte else { return false }
                index += 1
            }
        }
        return true
    }

    /// Whether a line ends with a text without numbers.
    static func ends(_ line: Bytes, _ text: StaticString) -> Bool {
        line.count >= text.utf8CodeUnitCount
            && begins(Bytes(rebasing: line.suffix(text.utf8CodeUnitCount)), text)
    }

    /// Whether a text is anywhere in a line.
    static func contains(_ line: Bytes, _ text: StaticString) -> Bool {
        line.indices.contains { begins(Bytes(rebasing: line[$0...]), text) }
    }
}
