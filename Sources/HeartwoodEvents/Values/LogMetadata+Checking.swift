public import Heartwood

extension LogMetadata {
    /// Takes a dictionary of anything, from JSON or Objective-C for instance; its names are sorted.
    ///
    /// ```swift
    /// visit[.detail] = try LogMetadata(checking: dictionary)
    /// ```
    ///
    /// The values can be any `LogValueConvertible`, `NSNull`, optionals, and arrays and dictionaries of
    /// these. A text replaces anything nested deeper than 32 levels.
    ///
    /// - Parameter dictionary: The names and values.
    /// - Throws: `LogError` of code `.invalidEvent` for the first value, by the order of the names, that is
    ///   something else. Its `place` is the path to it, `detail.screens[2].color` for instance. Nothing is
    ///   replaced or left out.
    public init(checking dictionary: [String: Any]) throws {
        try self.init(checking: dictionary, at: "", depth: 0)
    }

    private init(checking dictionary: [String: Any], at path: String, depth: Int) throws {
        self.init(
            try dictionary.sorted { $0.key < $1.key }.map { name, value in
                let path = path.isEmpty ? name : "\(path).\(name)"
                return (name, try Self.value(of: value, at: path, depth: depth + 1))
            })
    }

    private static func value(of value: Any, at path: String, depth: Int) throws -> LogValue {
        // A value in a value is asked for no further than what is kept of it.
        guard depth <= LogValue.deepestObject else { return .tooDeep }
        if let value = value as? any LogValueConvertible { return value.logValue }
        if let fields = value as? [String: Any] {
            return .object(try LogMetadata(checking: fields, at: path, depth: depth))
        }
        if let members = value as? [Any] {
            return .array(
                try members.enumerated().map {
                    try Self.value(of: $1, at: "\(path)[\($0)]", depth: depth + 1)
                })
        }
        if let bridged = BridgedValues.value(of: value) {
            return try Self.value(of: bridged, at: path, depth: depth)
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let content = mirror.children.first else { return .null }
            return try Self.value(of: content.value, at: path, depth: depth)
        }
        throw LogError(
            .invalidEvent,
            "a value of type \(type(of: value)) cannot be stored; convert it to a string or a number",
            place: path)
    }
}
