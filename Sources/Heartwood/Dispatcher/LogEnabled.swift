public import CHeartwood
public import Synchronization

/// Checks whether any logger wants a message of this level and category.
///
/// Use it to skip work that only a message needs, when that work does not fit into the message's literal. The check costs
/// one load and one branch.
///
/// - Parameters:
///   - level: The level of the message.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that would get the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file of the call, for levels by source file. Leave out.
/// - Returns: `true` if at least one logger wants such a message.
@inlinable @inline(__always)
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil,
    file: StaticString = #fileID
) -> Bool {
    let isOpen =
        if let dispatcher {
            dispatcher.wants(level, category ?? .default)
        } else if let category {
            category.state.sharedGate.load(ordering: .relaxed) & level.rawValue != 0
        } else {
            hw_shared_gate_load() & level.rawValue != 0
        }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    if !isOpen || !hw_source_levels_load() { return isOpen }
    return LogSourceLevels.wants(level, category, file)
}

/// Checks whether any logger wants a message of this level and category, logged in a given file.
///
/// - Parameters:
///   - level: The level of the message.
///   - category: The part of the program. nil, the default, is ``LogCategory/default``.
///   - dispatcher: The dispatcher that would get the message. nil, the default, is ``LogDispatcher/shared``.
///   - file: The source file, as `Module/File.swift`. Only levels by source file use it.
/// - Returns: `true` if at least one logger wants such a message.
public func isLogEnabled(
    _ level: LogLevel, category: LogCategory? = nil, to dispatcher: LogDispatcher? = nil, file: String
) -> Bool {
    guard (dispatcher ?? .shared).wants(level, category ?? .default) else { return false }
    // Levels by source file are looked at only for what has passed, and only where there are any.
    return !hw_source_levels_load() || LogSourceLevels.wants(level, category ?? .default, named: file)
}
