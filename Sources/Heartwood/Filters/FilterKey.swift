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

/// A hash that is the same in all processes, unlike `Hasher`.
enum StableHash {
    /// FNV-1a, well mixed.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixed(hash)
    }

    static func of(_ text: String, _ number: Int) -> UInt64 {
        var text = text
        return text.withUTF8 {
            of(UnsafeRawBufferPointer($0), seed: mixed(UInt64(bitPattern: Int64(number))))
        }
    }

    /// Spreads a number over all bits (the finaliser of SplitMix64).
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
