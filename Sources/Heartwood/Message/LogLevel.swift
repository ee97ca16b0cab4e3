import Synchronization

/// The severity of a message: one of seven standard levels, or one of up to 25 custom ones.
///
/// Every level is one bit of 32, so that any set of levels is one number (``LogLevelMask``). A custom level
/// is declared once, and then used like the others, in masks, calls, formatters and colors:
///
/// ```swift
/// extension LogLevel {
///     static let access = LogLevel(bit: 8, name: "access", severity: .notice)
/// }
/// log("GET /", level: .access)
/// ```
///
/// Levels compare by how serious they are: `.error > .warning`.
public struct LogLevel: Hashable, Sendable {
    /// The level's one bit.
    public let rawValue: UInt32

    @inlinable
    init(standard bit: UInt32) {
        rawValue = 1 << bit
    }

    /// Declares a level on a free bit.
    ///
    /// - Parameters:
    ///   - bit: 7 to 31; 0 to 6 are the standard levels. Declaring the same bit again with another name is a
    ///     programming error, which stops the program.
    ///   - name: What formatters print.
    ///   - severity: The standard level that it is as serious as, for colors, limits and remote systems that
    ///     know only the standard levels; `info` unless given.
    public init(bit: Int, name: String, severity: LogLevel = .info) {
        precondition(
            (7...31).contains(bit),
            "A custom level must use a bit from 7 to 31, not \(bit).")
        rawValue = 1 << UInt32(bit)
        let definition = Definition(name: name, severity: severity.severity)
        var isNew = false
        let declarations = LogLevel.declarations
        LogLevel.custom.withLock { custom in
            if let known = custom[bit], !known.isAdopted {
                precondition(
                    known.name == name,
                    "Level bit \(bit) is taken by “\(known.name)”: choose another bit for “\(name)”.")
            }
            isNew = custom.updateValue(definition, forKey: bit) != definition
            declarations.note(custom)
            // Before the lock is free: no record can have the level yet.
            NameObservers.shared.append(level: bit, definition)
        }
        // Thresholds that were set before let it pass from now on.
        if isNew { LogLevel.declarationsDidChange() }
    }

    /// Takes over the levels that another process had declared, as long as this one has none on the same bit.
    static func adopt(_ levels: [Int: Definition]) {
        var isNew = false
        custom.withLock { custom in
            for (bit, level) in levels where custom[bit] == nil && (7...31).contains(bit) {
                custom[bit] = Definition(name: level.name, severity: level.severity, isAdopted: true)
                isNew = true
                NameObservers.shared.append(level: bit, level)
            }
            declarations.note(custom)
        }
        if isNew { declarationsDidChange() }
    }

    /// Has everything that keeps the bits of a mask look again which custom levels a threshold holds.
    private static func declarationsDidChange() {
        CategoryRegistry.shared.resolveLevels()
        LogSourceLevels.resolve()
        NameObservers.shared.levelsDidChange()
    }

    static func handleFork(_ fork: ForkStep) { fork.apply(to: custom) }

    /// Calls `body` with the declared levels; none is declared meanwhile.
    static func withDeclared(_ body: ([Int: Definition]) -> Void) { custom.withLock { body($0) } }

    /// The program cannot continue.
    @inlinable public static var fatal: LogLevel { LogLevel(standard: 0) }
    /// An operation failed.
    @inlinable public static var error: LogLevel { LogLevel(standard: 1) }
    /// Something may fail soon, or the program worked around a problem.
    @inlinable public static var warning: LogLevel { LogLevel(standard: 2) }
    /// A normal event that is worth attention, such as a start, a stop or a changed setting.
    @inlinable public static var notice: LogLevel { LogLevel(standard: 3) }
    /// What the program does, for the people who operate it.
    @inlinable public static var info: LogLevel { LogLevel(standard: 4) }
    /// How the program works, for its developers.
    @inlinable public static var debug: LogLevel { LogLevel(standard: 5) }
    /// Every detail, such as single steps and raw values.
    @inlinable public static var verbose: LogLevel { LogLevel(standard: 6) }

    /// The seven standard levels, the most serious first.
    package static let standardLevels: [LogLevel] = [
        .fatal, .error, .warning, .notice, .info, .debug, .verbose,
    ]

    private static let standardNames = ["fatal", "error", "warning", "notice", "info", "debug", "verbose"]

    /// What is said of a level of the user's own.
    struct Definition: Hashable, Sendable {
        let name: String
        let severity: LogLevel
        /// It was read from a journal; the program's own word replaces it.
        var isAdopted = false
    }
    private static let custom = Locked<[Int: Definition]>([:])
    private static let declarations = LevelDeclarations()

    /// The number of the level's bit: 0 for `fatal` to 6 for `verbose`, and more for custom levels.
    @inlinable
    public var index: Int { rawValue.trailingZeroBitCount }

    /// Makes the level of a bit, declared or not; nil if the index is not from 0 to 31.
    ///
    /// A level that is not declared is named `level8` after its bit, and is as serious as `info`.
    ///
    /// - Parameter index: The number of the bit.
    public init?(index: Int) {
        guard (0...31).contains(index) else { return nil }
        rawValue = 1 << UInt32(index)
    }

    /// The name of the level in lowercase: `warning`.
    public var name: String {
        if index < 7 { return LogLevel.standardNames[index] }
        return LogLevel.custom.withLock { $0[index]?.name } ?? "level\(index)"
    }

    /// The standard level that is as serious as this one; for a standard level, the level itself.
    public var severity: LogLevel {
        if index < 7 { return self }
        return LogLevel.custom.withLock { $0[index]?.severity } ?? .info
    }

    /// The bits of the custom levels declared so far that are as serious as the standard level of this index,
    /// or more.
    static func declared(asSeriousAs index: Int) -> UInt32 { declarations.levels(asSeriousAs: index) }

    /// Whether it is a standard level, or a custom one that was declared.
    var isDeclared: Bool { index < 7 || LogLevel.declared(asSeriousAs: 6) & rawValue != 0 }

    /// Finds a standard or declared level by its name, in any case; `warn`, `trace`, `critical` and `fault`
    /// are accepted.
    public init?(named name: String) {
        let wanted = name.lowercased()
        switch wanted {
        case "warn": self = .warning
        case "trace": self = .verbose
        case "critical", "fault": self = .fatal
        default:
            if let index = LogLevel.standardNames.firstIndex(of: wanted) {
                self = LogLevel.standardLevels[index]
            } else {
                let found = LogLevel.custom.withLock { custom in
                    custom.first { $0.value.name.lowercased() == wanted }?.key
                }
                guard let found, let level = LogLevel(index: found) else { return nil }
                self = level
            }
        }
    }
}

extension LogLevel: Comparable {
    /// Whether the left level is less serious: `.debug < .info`, so you can write `message.level >=
    /// .warning`.
    ///
    /// Levels are compared by their ``severity``. A custom level is directly above the standard level that is
    /// its severity, and below the next one; two custom levels of one severity are in the order of their
    /// bits.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        let (one, other) = (left.severity.index, right.severity.index)
        return one == other ? left.index < right.index : one > other
    }
}

extension LogLevel: CustomStringConvertible {
    /// The name of the level.
    public var description: String { name }
}

extension LogLevel {
    /// The number of RFC 5424: 2 (critical) for `fatal` to 7 (debug) for `debug` and `verbose`.
    package var syslogSeverity: Int {
        switch severity {
        case .fatal: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        default: 7
        }
    }
}

/// Which custom levels are declared, as bits by their severity, for readers that take no lock.
final class LevelDeclarations: Sendable {
    // MARK: Atomics (any thread)
    // Relaxed everywhere: a level is used only by code that has seen its declaration.
    private let fatal = Atomic<UInt32>(0)
    private let error = Atomic<UInt32>(0)
    private let warning = Atomic<UInt32>(0)
    private let notice = Atomic<UInt32>(0)
    private let info = Atomic<UInt32>(0)
    private let debug = Atomic<UInt32>(0)
    private let verbose = Atomic<UInt32>(0)

    /// The levels whose severity is the standard level of this index, or a more serious one.
    func levels(asSeriousAs index: Int) -> UInt32 {
        switch index {
        case ..<0: 0
        case 0: fatal.load(ordering: .relaxed)
        case 1: error.load(ordering: .relaxed)
        case 2: warning.load(ordering: .relaxed)
        case 3: notice.load(ordering: .relaxed)
        case 4: info.load(ordering: .relaxed)
        case 5: debug.load(ordering: .relaxed)
        default: verbose.load(ordering: .relaxed)
        }
    }

    /// Takes over what is declared; called by one thread at a time.
    func note(_ levels: [Int: LogLevel.Definition]) {
        func bits(_ index: Int) -> UInt32 {
            levels.reduce(0) { $0 | ($1.value.severity.index <= index ? 1 << UInt32($1.key) : 0) }
        }
        fatal.store(bits(0), ordering: .relaxed)
        error.store(bits(1), ordering: .relaxed)
        warning.store(bits(2), ordering: .relaxed)
        notice.store(bits(3), ordering: .relaxed)
        info.store(bits(4), ordering: .relaxed)
        debug.store(bits(5), ordering: .relaxed)
        verbose.store(bits(6), ordering: .relaxed)
    }
}
