public import Heartwood

/// What a call or a message of CocoaLumberjack's says beyond what a message of Heartwood's has a place for;
/// it travels as the message's tag.
@usableFromInline
struct CallTag: @unchecked Sendable {  // tags are the caller's to share, as there
    /// The mask of the call.
    let level: DDLogLevel
    let flag: DDLogFlag
    /// The tag that the call gave.
    let tag: Any?
    /// The message that was logged as an object; its loggers get the same object.
    var message: DDLogMessage?

    /// The tag of a message: the caller's own as it is, so that Heartwood's loggers see it, where that says
    /// everything.
    @inlinable
    static func tag(_ tag: Any?, _ level: DDLogLevel, _ flag: DDLogFlag) -> (any Sendable)? {
        let isUsual =
            level == DDDefaultLogLevel && flag.rawValue.nonzeroBitCount == 1 && flag.rawValue < 1 << 30
        if isUsual, tag == nil { return nil }
        return wrap(tag, level, flag, isUsual: isUsual)
    }

    @usableFromInline
    static func wrap(_ tag: Any?, _ level: DDLogLevel, _ flag: DDLogFlag, isUsual: Bool) -> (any Sendable)? {
        guard isUsual, let tag else { return CallTag(level: level, flag: flag, tag: tag) }
        // `Sendable` has no members, so both are laid out alike; that the value may be shared is the caller's
        // promise.
        return withUnsafePointer(to: tag) { place -> any Sendable in
            place.withMemoryRebound(to: (any Sendable).self, capacity: 1) { $0.pointee }
        }
    }
}

extension CallTag: CustomStringConvertible {
    /// The caller's tag, for formatters of Heartwood's that write it.
    @usableFromInline var description: String { tag.map { ValueDepth.description(of: $0) } ?? "" }
}

extension CallTag: MeasuredTag {
    @usableFromInline var tagSize: ByteCount {
        .bytes(tag.flatMap { measuredBytes(of: $0) } ?? MemoryLayout<CallTag>.size)
    }
}
