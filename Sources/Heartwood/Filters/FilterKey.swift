/// Groups messages for filters that sample and limit: messages with an equal key form a group.
public enum FilterKey: Hashable, Sendable {
    /// The source location of the call.
    case callSite
    /// The category.
    case category
    /// The context.
    case context
    /// The level.
    case level
    /// The text, with private values redacted.
    case text
    /// The value of a field or a named value; messages without it have no key.
    case field(String)
    /// All messages form one group.
    case all

    /// A number that is the same for equal keys, in all processes; nil for a message without the key.
    func hash(of message: LogMessage) -> UInt64? {
        switch self {
        case .all: return 0
        case .callSite:
            let site = message.storage.site
            return StableHash.of(site.file, site.line)
        case .category: return StableHash.of(message.category.name, 0)
        case .context: return StableHash.mixed(UInt64(bitPattern: Int64(message.context)))
        case .level: return UInt64(message.level.rawValue)
        case .text:
            var buffer = LogBuffer()
            buffer.appendText(of: message, privacy: .redact)
            return buffer.withUnsafeBytes { StableHash.of($0) }
        case .field(let name):
            var buffer = LogBuffer()
            guard buffer.appendKey(Array(name.utf8), of: message) else { return nil }
            return buffer.withUnsafeBytes { StableHash.of($0) }
        }
    }
}

extension LogBuffer {
    /// Adds the text of the first value of a name; false without one.
    mutating func appendKey(_ name: [UInt8], of message: LogMessage) -> Bool {
        for bytes in [message.storage.text, message.storage.fields] {
            var reader = PieceReader(bytes)
            while let piece = reader.next() {
                guard case .value(let value) = piece, value.name?.elementsEqual(name) == true else {
                    continue
                }
                append(field: value, privacy: .reveal)
                return true
            }
        }
        return false
    }
}
