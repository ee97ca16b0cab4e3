/// Where a JSON object contains the fields of the program.
public enum JSONFieldPlacement: Hashable, Sendable {
    /// Among the other members.
    case besideOthers
    /// In an object under this key; left out if it would be empty.
    case inObject(String)
    /// Among the other members, with this prefix.
    ///
    /// In the names, all characters except ASCII letters, digits, `_`, `-` and `.` become `_`.
    case prefixed(String)
}
