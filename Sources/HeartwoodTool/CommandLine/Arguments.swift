import Heartwood

/// The arguments of a subcommand, checked against the options that it declares.
///
/// `--name value` and `--name=value` are the same; `-d value` and `-dvalue` too. Everything after `--` is an
/// operand, and so is a lone `-`.
struct Arguments {
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// `--help`, and `-h` where that is not an option of the command.
    static func help(besides options: [Option]) -> Option {
        let text = "Shows this help."
        let isTaken = options.contains { $0.names.contains("-h") }
        return isTaken ? Option("--help", help: text) : Option("--help", "-h", help: text)
    }

    init(parsing arguments: [String], options groups: [OptionGroup]) throws {
        var options = groups.flatMap(\.options)
        options.append(Arguments.help(besides: options))
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            if !argument.hasPrefix("-") || argument == "-" {
                operands.append(argument)
                continue
            }
            let (name, attached) = Arguments.split(argument)
            guard let option = options.first(where: { $0.names.contains(name) }) else {
                let near = Spelling.nearest(to: name, among: options.flatMap(\.names))
                throw UsageError("unknown option “\(name)”" + Spelling.suggestion(near))
            }
            try add(option, written: name, attached: attached, &rest)
        }
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        if argument.hasPrefix("--") {
            guard let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
            return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
        }
        let name = String(argument.prefix(2))
        return (name, argument.count > 2 ? String(argument.dropFirst(2)) : nil)
    }

    private mutating func add(
        _ option: Option, written name: String, attached: String?, _ rest: inout ArraySlice<String>
    ) throws {
        let key = option.names[0]
        guard let placeholder = option.value else {
            values[key] = []
            guard let attached else { return }
            // `-ic` is `-i -c`.
            if name.hasPrefix("--") { throw UsageError("\(name) does not take a value") }
            rest = ["-" + attached] + rest
            return
        }
        guard let value = attached ?? option.standard ?? rest.popFirst() else {
            throw UsageError("\(name) needs a value: \(name) \(placeholder)")
        }
        if !option.isRepeatable, values[key] != nil { throw UsageError("\(name) may be given only once") }
        values[key, default: []].append(value)
    }

    // MARK: Reading

    /// Whether the option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The option's value.
    func value(_ name: String) -> String? { values[name]?.last }

    /// The values of an option that may be given more than once.
    func values(_ name: String) -> [String] { values[name] ?? [] }

    /// A whole number of at least `minimum`.
    func integer(_ name: String, atLeast minimum: Int = 0) throws -> Int? {
        try value(name).map { text in
            guard let number = Int(text), number >= minimum else {
                throw UsageError("\(name) expects a whole number of at least \(minimum) (got “\(text)”)")
            }
            return number
        }
    }

    /// An amount of storage: `64KiB`, `10MB`, `4096`.
    func byteCount(_ name: String) throws -> ByteCount? {
        try value(name).map { text in
            guard let count = ByteCount(parsing: text) else {
                throw UsageError("\(name) expects a size such as 64KiB, 10MiB or 4096 (got “\(text)”)")
            }
            return count
        }
    }

    /// What one of some words means.
    func choice<Value>(_ name: String, _ meanings: KeyValuePairs<String, Value>) throws -> Value? {
        try value(name).map { text in
            if let known = meanings.first(where: { $0.key == text }) { return known.value }
            let words = meanings.map(\.key)
            let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            throw UsageError("\(name) expects \(list) (got “\(text)”)")
        }
    }

    /// A limit that `read` reads; nil for `none`, and `standard` where the option is not given.
    func limit<Value>(
        _ name: String, standard: Value?, _ read: (String) throws -> Value?
    ) throws -> Value? {
        if value(name) == "none" { return nil }
        do {
            return try read(name) ?? standard
        } catch let error as UsageError {
            throw UsageError(error.message.replacing(" (got", with: ", or none (got", maxReplacements: 1))
        }
    }

    /// A time: `30s`, `5m`, `12h`, `7d`, `2w`.
    func duration(_ name: String) throws -> Duration? {
        try value(name).map { text in
            guard let duration = Duration(parsing: text) else {
                throw UsageError("\(name) expects a time such as 30s, 5m, 12h, 7d or 2w (got “\(text)”)")
            }
            return duration
        }
    }

    /// The name of a level.
    func level(_ name: String) throws -> LogLevel? {
        try value(name).map { try Arguments.level($0, for: name) }
    }

    /// Reads the name of a level.
    static func level(_ text: String, for option: String) throws -> LogLevel {
        if let level = LogLevel(named: text) { return level }
        let names = LogLevel.standardLevels.map(\.name)
        let near = Spelling.suggestion(Spelling.nearest(to: text.lowercased(), among: names))
        throw UsageError(
            "\(option): “\(text)” is not a valid level\(near); levels are \(names.joined(separator: ", "))")
    }
}

/// Invalid arguments: what is wrong, and what would be right.
struct UsageError: Error, Equatable {
    let message: String
    /// The subcommand whose help would help.
    let command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }
}
