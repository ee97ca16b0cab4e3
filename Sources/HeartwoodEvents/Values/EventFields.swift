import Heartwood

/// Named values of several types: what a property may be that is a dictionary.
///
/// A literal makes one wherever an ``EventRecord`` takes a value. What is in it has to be an ``EventValue``,
/// and keeps the order of the literal; a name that comes twice has the last value.
///
/// ```swift
/// visit[.detail] = ["battery": 0.83, "network": "wifi", "count": count]
/// visit[.detail] = ["battery": 0.83, "screen": EventFields(["width": 390, "unit": "pt"])]
/// ```
///
/// A dictionary whose values are `Any`, from JSON or Objective-C for instance, has to be checked while the
/// program runs:
///
/// ```swift
/// visit[.detail] = try EventFields(checking: dictionary)
/// ```
public struct EventFields: EventValue, Hashable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    private let stored: StoredEventValue

    /// Takes values by their names, which are sorted.
    public init(_ values: [String: any EventValue]) {
        self.init(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Takes the names and values of a literal, in its order.
    public init(dictionaryLiteral elements: (String, any EventValue)...) { self.init(elements) }

    private init(_ elements: [(String, any EventValue)]) {
        var fields = LogMetadata()
        var depth = 0
        for (name, value) in elements {
            let value = value.eventValue
            fields[name] = value.value
            depth = max(depth, value.depth)
        }
        stored = StoredEventValue(.object(fields), depth: depth + 1)
    }

    /// Takes a dictionary of anything; its keys are sorted.
    ///
    /// The values may be what an ``EventValue`` may be, `NSNull`, optionals, and arrays and dictionaries of
    /// such, as deep as you like: what lies deeper than 32 levels becomes `"<too deep>"`.
    ///
    /// - Parameter dictionary: The names and values.
    /// - Throws: `LogError` of code `.invalidEvent` for the first value, by the order of the keys, that is
    ///   something else. Its `place` is the path to it, `detail.screens[2].color` for instance. Nothing is
    ///   replaced or left out.
    public init(checking dictionary: [String: Any]) throws {
        stored = try AnyValueReader.read(dictionary, at: "", depth: 0)
    }

    /// A JSON object.
    public var eventValue: StoredEventValue { stored }
    /// The fields as JSON.
    public var description: String { stored.description }
}

/// Makes event values of what is known only while the program runs.
private enum AnyValueReader {
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
        if let bridged = BridgedValues.value(of: value) { return try read(bridged, at: path, depth: depth) }
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
