/// Something that scopes record: what was read, and what was changed.
///
/// ```swift
/// struct Person: EventObject {
///     var id: Int
///     var name: String
///     var manager: Manager?  // an object itself: recorded as its id
///     var address: Address  // just `Encodable`: recorded as an object
/// }
/// ```
///
/// Its JSON is what it encodes, in the order in which it encodes it:
///
/// | value | JSON |
/// |---|---|
/// | nil | `null`; left out by a type that encodes it by hand and leaves it out |
/// | truth values, numbers, text | as they are; infinite numbers as `"inf"`, `"-inf"`, no number as `"nan"` |
/// | `Date` | a string in UTC with milliseconds, `"2026-11-20T10:20:30.123Z"` |
/// | `Data` | left out |
/// | `UUID` | a string in lower case |
/// | ``EventID`` | its 24 hexadecimal digits |
/// | `Decimal` | a string |
/// | arrays and sets | an array; that of a set is sorted |
/// | string-keyed dictionaries | an object, its keys sorted |
/// | another ``EventObject`` | its `id`: a link; where the recording of a read names it, the full object |
/// | a ``CustomEventRepresentable`` | what it says |
/// | any other `Encodable` | an object |
/// | a whole number of more than 64 bits | a string |
/// | what is nested deeper than 32 levels | `"…[nested deeper than 32]"` |
public protocol EventObject: Encodable, Identifiable where ID: Encodable {
    /// What its kind is called in events; the type's name by default.
    static var eventType: String { get }
}

extension EventObject {
    /// The type's name.
    public static var eventType: String { String(describing: Self.self) }
}

/// An object that gives its own representation in events.
public protocol CustomEventRepresentable {
    /// Valid JSON, of any kind.
    ///
    /// What it throws, or text that is no JSON, becomes the error of every scope that is open: nothing of
    /// them is stored.
    func customEventRepresentation() throws -> String
}
