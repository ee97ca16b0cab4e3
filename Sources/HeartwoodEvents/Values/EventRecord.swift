public import Heartwood

/// Properties with their values: an event, or what is nested in one.
///
/// Only the cases of `Property` can be keys, and only `LogValueConvertible`s can be values; ``EventObject``
/// has the table of what they become. The properties stay in the order in which they were first set. In JSON
/// the keys are the cases' raw values.
///
/// ```swift
/// enum Detail: String { case battery, network }
///
/// let detail = EventRecord<Detail> {
///     $0[.battery] = 0.83
///     $0[.network] = ["wifi", "vpn"]
/// }
/// ```
public struct EventRecord<Property: RawRepresentable & Sendable>: LogValueConvertible, Hashable, Sendable,
    CustomStringConvertible
where Property.RawValue == String {
    private(set) var fields = LogMetadata()

    /// Makes an empty record.
    public init() {}

    /// Makes a record and has it filled.
    public init(_ fill: (inout EventRecord) throws -> Void) rethrows { try fill(&self) }

    /// A property's value; nil where it was never set.
    ///
    /// Setting nil sets null. Reading gives a `LogValue`, in the form that events have.
    public subscript(property: Property) -> (any LogValueConvertible)? {
        get { fields[property.rawValue] }
        set { fields[property.rawValue] = newValue?.logValue.inEvents ?? .null }
    }

    /// A property as named values: it can be set to a literal whose values are of several types; nil where it
    /// has another value.
    ///
    /// ```swift
    /// visit[.detail] = ["battery": 0.83, "screen": .object(["width": 390, "unit": "pt"])]
    /// ```
    @_disfavoredOverload
    public subscript(property: Property) -> LogMetadata? {
        get { if case .object(let fields)? = fields[property.rawValue] { fields } else { nil } }
        set { self[property] = newValue.map { LogValue.object($0) } as (any LogValueConvertible)? }
    }

    /// Takes a property out.
    public mutating func remove(_ property: Property) { fields[property.rawValue] = nil }

    /// The properties as an object.
    public var logValue: LogValue { .object(fields) }
    /// The record as JSON.
    public var description: String { logValue.eventJSON }
}

extension LogValue {
    /// How deep objects and dictionaries are taken apart, which needs a lot of the stack.
    static let deepestObject = 32
    /// In the place of what is nested deeper.
    static let tooDeep = LogValue.string("…[nested deeper than 32]")

    /// The value as events have it, by the table of ``EventObject``; two with the same JSON become equal.
    var inEvents: LogValue {
        mapped {
            switch $0 {
            case .double(let number) where !number.isFinite: .string(number.description)
            case .date(let date) where !date.hasDay: .null
            case .date, .timestamp, .decimal: .string($0.description)
            case .uuid: .string($0.description.lowercased())
            default: $0
            }
        }
    }

    /// The value as JSON.
    var eventJSON: String {
        var buffer = LogBuffer()
        buffer.append(json: self)
        return buffer.text
    }
}
