/// The types that field values can have in a JSON object.
public enum JSONFieldValues: Hashable, Sendable {
    /// Any type.
    case any
    /// Strings, numbers, Booleans and null: lists and objects become strings that contain their JSON.
    case scalars
    /// Strings and numbers: other values become strings.
    case stringsAndNumbers

    func append(_ value: EncodedValue, _ privacy: LogPrivacyPolicy, to output: inout LogBuffer) {
        switch value.tag {
        case .string, .integer, .double, .unsigned, .float, .decimal, .timestamp, .uuid: break
        case .bool, .null, .date:
            if self == .stringsAndNumbers { return appendAsText(value, privacy, to: &output) }
        default: if self != .any { return appendAsText(value, privacy, to: &output) }
        }
        output.append(json: value, privacy: privacy)
    }

    private func appendAsText(_ value: EncodedValue, _ privacy: LogPrivacyPolicy, to output: inout LogBuffer)
    {
        let start = output.count
        output.append(json: value, privacy: privacy)
        if start < output.count, output.base[start] != UInt8(ascii: "\"") {
            output.replaceEnd(from: start) { $1.append(json: $0) }
        }
    }
}
