/// A condition that a message must meet; combine conditions with `&&`, `||` and `!`.
///
/// ```swift
/// file.filter = .levels(.warning) || (.category("net.*") && !.message(.contains("heartbeat")))
/// console.filter = .rateLimit(10, per: .seconds(1)) && .contexts(except: 7)
/// ```
///
/// Set a filter on a logger (``AbstractLogger/filter``) or use it in a formatter (``FilteringFormatter``). It
/// is called on the logger's queue, for messages that have passed the levels. Messages that it drops count as
/// `filtered` in the logger's statistics. The right side of `&&` and `||` is evaluated only if the left side
/// does not decide, which matters for filters that count. Several loggers can use one filter, and then share
/// its counts.
public struct LogFilter: Sendable {
    private let test: @Sendable (LogMessage) -> Bool

    /// Makes a filter from a function that returns true for messages to pass.
    ///
    /// The function can be called on several threads at the same time if several loggers use the filter. It
    /// can log; such a call never waits.
    public init(_ test: @escaping @Sendable (LogMessage) -> Bool) {
        self.test = test
    }

    /// Whether a message passes.
    public func passes(_ message: LogMessage) -> Bool { test(message) }

    /// Passes all messages.
    public static let everything = LogFilter { _ in true }
    /// Passes no message.
    public static let nothing = LogFilter { _ in false }

    /// Passes messages that both filters pass.
    public static func && (left: LogFilter, right: LogFilter) -> LogFilter {
        LogFilter { left.passes($0) && right.passes($0) }
    }

    /// Passes messages that at least one of the filters passes.
    public static func || (left: LogFilter, right: LogFilter) -> LogFilter {
        LogFilter { left.passes($0) || right.passes($0) }
    }

    /// Passes messages that the filter does not pass.
    public static prefix func ! (filter: LogFilter) -> LogFilter {
        LogFilter { !filter.passes($0) }
    }

    /// Passes messages that all these filters pass.
    public static func all(of filters: [LogFilter]) -> LogFilter {
        LogFilter { message in filters.allSatisfy { $0.passes(message) } }
    }

    /// Passes messages that at least one of these filters passes.
    public static func any(of filters: [LogFilter]) -> LogFilter {
        LogFilter { message in filters.contains { $0.passes(message) } }
    }

    /// Returns the same filter, which also counts the messages that it passes and drops.
    ///
    /// ```swift
    /// let counters = FilterCounters()
    /// file.filter = .levels(.error) || .sampling(0.01, by: .field("request")).counted(by: counters)
    /// ```
    public func counted(by counters: FilterCounters) -> LogFilter {
        LogFilter { message in
            let passes = self.passes(message)
            counters.count(passes)
            return passes
        }
    }
}
