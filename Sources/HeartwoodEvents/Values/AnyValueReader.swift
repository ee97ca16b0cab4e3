import Heartwood

/// Makes event values of what is known only while the program runs.
enum AnyValueReader {
    /// The value in its stored form.
    ///
    /// - Throws: `LogError` with the path of the first value that is of another type.
    static func read(_ value: Any, at path: String, depth: Int) throws -> StoredEventValue {
        // A value in a value is asked for no further than what is kept of it.
        guard depth <= StoredEventValue.maximumDepth else { return StoredEventValue(.tooDeep) }
        if let value = value as? any EventValue { return value.eventValue }
        if let fields = value as? [String: Any] {
            var content = LogMetadata()
            var deepest = 0
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                let member = try read(value, at: path.isEmpty ? name : "\(path).\(name)", depth: depth + 1)
                content[name] = member.value
                deepest = max(deepest, member.depth)
            }
            return StoredEventValue(.object(content), depth: deepest + 1)
        }
        if let members = value as? [Any] {
            let content = try members.enumerated().map { index, member in
                try read(member, at: "\(path)[\(index)]", depth: depth + 1)
            }
            return StoredEventValue(
                .array(content.map(\.value)), depth: 1 + (content.map(\.depth).max() ?? 0))
        }
        if let bridged = BridgedValues.value(of: value) { return bridged }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let content = mirror.children.first else { return StoredEventValue(.null) }
            return try read(content.value, at: path, depth: depth)
        }
        throw LogError(
            .invalidEvent,
            "a value of type \(type(of: value)) cannot be stored; convert it to a string or a number",
            place: path)
    }
}
