import Heartwood

/// Properties with their values: an event, or what is nested in one.
///
/// Only the cases of `Property` can be keys, and only ``EventValue``s can be values. The properties stay in
/// the order in which they were first set. In JSON the keys are the cases' raw values.
///
/// ```swift
/// enum Detail: String { case battery, network }
///
/// let detail = EventRecord<Detail> {
///     $0[.battery] = 0.83
///     $0[.network] = ["wifi", "vpn"]
/// }
/// ```
public struct EventRecord<Property: RawRepresentable & Sendable>: EventValue, Hashable,
    CustomStringConvertible
where Property.RawValue == String {
    private(set) var fields = LogMetadata()
    private var depth = 1

    /// Makes an empty record.
    public init() {}

    /// Makes a record and has it filled.
    public init(_ fill: (inout EventRecord) throws -> Void) rethrows { try fill(&self) }

    /// A property's value, as it is stored; nil where it was never set.
    ///
    /// Setting nil sets null. What lies too deep becomes the string `"<too deep>"`.
    public subscript(property: Property) -> (any EventValue)? {
        get { fields[property.rawValue].map { StoredEventValue($0) } }
        set {
            let stored = newValue?.eventValue ?? StoredEventValue(.null)
            // The record is a level of its own.
            let isTooDeep = stored.depth >= StoredEventValue.maximumDepth
            fields[property.rawValue] = isTooDeep ? .tooDeep : stored.value
            if !isTooDeep { depth = max(depth, stored.depth + 1) }
        }
    }

    /// A property as named values: it can be set to a literal whose values are of several types.
    ///
    /// Reading gives nil; use the property with a value's type instead.
    @_disfavoredOverload
    public subscript(property: Property) -> EventFields? {
        get { nil }
        set { self[property] = newValue as (any EventValue)? }
    }

    /// Takes a property out.
    public mutating func remove(_ property: Property) { fields[property.rawValue] = nil }

    /// A JSON object.
    public var eventValue: StoredEventValue { StoredEventValue(.object(fields), depth: depth) }
    /// The record as JSON.
    public var description: String { LogValue.object(fields).eventJSON }
}
