extension LogMessage: Equatable {
    /// Whether two messages are equal in all their contents.
    ///
    /// That is their text and values with types, names and privacy, level, category, context, tag, fields,
    /// source location, time, sequence number, thread, queue and task.
    ///
    /// Tags are equal if they have one type, and are equal values or the same object. Two tags that cannot be
    /// compared are different, unless the messages are copies of one value.
    public static func == (left: LogMessage, right: LogMessage) -> Bool {
        let (one, other) = (left.storage, right.storage)
        if one === other { return true }
        let (here, there) = (one.site, other.site)
        return left.level == right.level && left.category == right.category && left.context == right.context
            && left.timestamp == right.timestamp && left.sequence == right.sequence
            && left.threadID == right.threadID && one.names.elementsEqual(other.names)
            && one.text.elementsEqual(other.text) && one.fields.elementsEqual(other.fields)
            && (here === there
                || (here.line == there.line && here.file == there.file && here.function == there.function))
            && isSame(left.tag, right.tag)
    }

    private static func isSame(_ left: (any Sendable)?, _ right: (any Sendable)?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if let left = left as? any Equatable { return isEqual(left, right) }
        guard type(of: left) is AnyObject.Type, type(of: right) is AnyObject.Type else { return false }
        return left as AnyObject === right as AnyObject
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: any Sendable) -> Bool {
        (right as? Value) == left
    }
}
