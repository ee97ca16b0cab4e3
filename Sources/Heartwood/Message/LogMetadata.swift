/// An ordered list of fields: names with values.
///
/// The values of a literal are plain variables, literals or ``LogValue``s:
///
/// ```swift
/// logInfo("signed in", metadata: ["name": name, "attempts": attempts, "quota": quota])
/// ```
///
/// A list or an object inside of a literal is one of Swift: its values have one type, so `[1, 2.5]` has two
/// floating-point numbers, its names are sorted, and a name that comes twice ends the program. With
/// ``LogValue/array(_:)`` and ``LogValue/object(_:)``, each value has its own type, the order of the names is
/// kept, and the last value of a name counts:
///
/// ```swift
/// logInfo(
///     "done", metadata: ["http": .object(["method": method, "status": 200]), "path": .array(["a", 1])])
/// ```
///
/// Adding an existing name replaces its value and keeps its position. Looking up a name searches the fields
/// in order, which is fast for the few fields of a message. In a message, a name is cut after 65,535 bytes.
public struct LogMetadata: Hashable, Sendable, ExpressibleByDictionaryLiteral, RandomAccessCollection,
    CustomStringConvertible
{
    /// A field: a name and a value.
    public typealias Element = (key: String, value: LogValue)

    private struct Field: Sendable {
        var key: String
        var value: LogValue
    }
    private var fields: [Field] = []

    /// Whether two have the same names with the same values, in the same order.
    public static func == (left: LogMetadata, right: LogMetadata) -> Bool {
        LogValue.object(left) == .object(right)
    }
    /// Adds the names, and the values that contain no others, to a hash.
    public func hash(into hasher: inout Hasher) { LogValue.object(self).hash(into: &hasher) }

    /// Whether both are copies that share their fields.
    func isSameStorage(as other: LogMetadata) -> Bool { fields.isSameStorage(as: other.fields) }

    /// Makes metadata without fields.
    public init() {}

    /// The fields as text, as in a message: `{user=ann}`.
    public var description: String { "\(LogValue.object(self))" }

    /// Makes metadata from a dictionary literal; if a name is repeated, the last value is kept.
    public init(dictionaryLiteral elements: (String, (any LogValueConvertible)?)...) {
        self.init(elements.lazy.map { ($0.0, $0.1?.logValue ?? .null) })
    }

    /// Makes metadata from fields; if a name is repeated, the last value is kept.
    public init(_ elements: some Sequence<(String, LogValue)>) {
        // Where the names are, once they are too many to look through them for each.
        var places: [String: Int] = [:]
        for (key, value) in elements {
            if fields.count < 32 {
                self[key] = value
                continue
            }
            if places.isEmpty {
                for (index, field) in fields.enumerated() { places[field.key] = index }
            }
            if let index = places[key] {
                fields[index].value = value
            } else {
                places[key] = fields.count
                fields.append(Field(key: key, value: value))
            }
        }
    }

    /// Makes metadata from a dictionary, in the order of its names: a dictionary has none.
    @_disfavoredOverload
    public init<Value: LogValueConvertible>(_ dictionary: [String: Value]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value.logValue) })
    }

    /// The value of a name; setting nil removes the field.
    public subscript(key: String) -> LogValue? {
        get { fields.first { $0.key == key }?.value }
        set {
            let index = fields.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Merges the fields of other metadata into this one; a closure decides between two values with the same
    /// name.
    ///
    /// - Parameters:
    ///   - other: The fields to add, in their order.
    ///   - combine: Called with the current and the new value of a key that both have; returns the value to
    ///     keep.
    /// - Throws: What `combine` throws; fields that come later in `other` are then missing.
    public mutating func merge(
        _ other: LogMetadata,
        uniquingKeysWith combine: (_ current: LogValue, _ new: LogValue) throws -> LogValue
    ) rethrows {
        for (key, value) in other {
            if let index = fields.firstIndex(where: { $0.key == key }) {
                fields[index].value = try combine(fields[index].value, value)
            } else {
                fields.append(Field(key: key, value: value))
            }
        }
    }

    mutating func appendUnchecked(_ key: String, _ value: LogValue) {
        fields.append(Field(key: key, value: value))
    }

    /// The index of the first field.
    public var startIndex: Int { 0 }
    /// The index after the last field.
    public var endIndex: Int { fields.count }
    /// The field at an index.
    public subscript(position: Int) -> Element { (fields[position].key, fields[position].value) }
}
