/// A filter with SwiftyBeaver's rules: it has a condition and a minimum level, and is required, optional or
/// excluding.
///
/// ```swift
/// file.filter = .swiftyBeaver(
///     [
///         SwiftyBeaverFilter(.message, .contains("HTTP", ignoringCase: true), minimumLevel: .warning),
///         SwiftyBeaverFilter(.path, .ends(with: "Cache.swift"), role: .excluding),
///     ], minimumLevel: .info)
/// ```
public struct SwiftyBeaverFilter: Sendable {
    /// The part of a message that the condition applies to.
    public enum Target: Hashable, Sendable {
        /// The source file: `Module/File.swift`.
        case path
        /// The function's name.
        case function
        /// The text, with private values redacted.
        case message
    }

    /// How a match counts.
    public enum Role: Hashable, Sendable {
        /// A message passes only if it matches all required filters.
        case required
        /// A message passes if it matches at least one optional filter.
        case optional
        /// A message that matches is dropped.
        case excluding
    }

    /// How a match counts.
    package let role: Role
    let minimum: LogLevelMask
    let condition: LogFilter

    /// Makes a filter.
    ///
    /// - Parameters:
    ///   - target: What the condition is about.
    ///   - match: The condition. SwiftyBeaver ignores case unless told otherwise.
    ///   - role: What follows from it; optional unless given.
    ///   - minimumLevel: The level that a message must have besides, or be more serious.
    public init(
        _ target: Target, _ match: LogTextMatch, role: Role = .optional, minimumLevel: LogLevel = .verbose
    ) {
        self.role = role
        minimum = LogLevelMask(atLeast: minimumLevel)
        condition =
            switch target {
            case .path: .file(match)
            case .function: .function(match)
            case .message: .message(match)
            }
    }

    /// Makes a filter from any condition, like SwiftyBeaver's `custom`.
    ///
    /// - Parameters:
    ///   - condition: The condition that a message must meet to match.
    ///   - role: How a match counts; `optional` unless given.
    ///   - minimumLevel: The least severe level of matching messages; `verbose` unless given.
    public init(_ condition: LogFilter, role: Role = .optional, minimumLevel: LogLevel = .verbose) {
        self.role = role
        minimum = LogLevelMask(atLeast: minimumLevel)
        self.condition = condition
    }
}

extension LogFilter {
    /// Combines filters by SwiftyBeaver's rules.
    ///
    /// 1. A message that meets an excluding filter, or is less serious than one allows, is dropped.
    /// 2. Where there are required filters, it passes if it meets all of them with their levels, whatever
    ///    `minimumLevel` says, and is dropped otherwise.
    /// 3. It passes if it meets an optional filter with its level, and is dropped if it meets some, but none
    ///    with its level.
    /// 4. Otherwise `minimumLevel` decides.
    ///
    /// An excluding filter with several texts drops messages that contain any of them. SwiftyBeaver passes
    /// messages that lack one of them.
    public static func swiftyBeaver(
        _ filters: [SwiftyBeaverFilter], minimumLevel: LogLevel = .verbose
    ) -> LogFilter {
        let decision = SwiftyBeaverDecision(filters, minimumLevel: minimumLevel)
        return LogFilter { decision.passes($0) }
    }
}

/// SwiftyBeaver's decision, one message at a time.
private struct SwiftyBeaverDecision {
    private let excluding: [SwiftyBeaverFilter]
    private let required: [SwiftyBeaverFilter]
    private let optional: [SwiftyBeaverFilter]
    private let minimum: LogLevelMask

    init(_ filters: [SwiftyBeaverFilter], minimumLevel: LogLevel) {
        excluding = filters.filter { $0.role == .excluding }
        required = filters.filter { $0.role == .required }
        optional = filters.filter { $0.role == .optional }
        minimum = LogLevelMask(atLeast: minimumLevel)
    }

    func passes(_ message: LogMessage) -> Bool {
        let level = message.level
        let isExcluded = excluding.contains { $0.condition.passes(message) || !$0.minimum.contains(level) }
        if isExcluded { return false }
        if !required.isEmpty {
            return required.allSatisfy { $0.minimum.contains(level) && $0.condition.passes(message) }
        }
        let met = optional.filter { $0.condition.passes(message) }
        if met.contains(where: { $0.minimum.contains(level) }) { return true }
        return met.isEmpty && minimum.contains(level)
    }
}
