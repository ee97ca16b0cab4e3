#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value as its bytes, with the options in front of it.
struct EncodedValue {
    let tag: PieceTag
    /// What follows the tag.
    let payload: UnsafeRawBufferPointer
    let name: UnsafeRawBufferPointer?
    let privacy: LogPrivacy
    let format: ValueFormat

    @inline(__always)
    func load<T: BitwiseCopyable>(_ type: T.Type) -> T { payload.loadUnaligned(as: type) }

    /// The bytes after a four-byte length.
    @inline(__always)
    var string: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: payload[4...]) }

    /// The text and the JSON of a described value.
    var described: (text: UnsafeRawBufferPointer, json: UnsafeRawBufferPointer) {
        let middle = 4 + Int(load(UInt32.self))
        return (
            UnsafeRawBufferPointer(rebasing: payload[4..<middle]),
            UnsafeRawBufferPointer(rebasing: payload[(middle + 4)...])
        )
    }

    var decoded: LogValue {
        var reader = ValueReader(payload)
        return reader.value(tag)
    }

    func decoded(privacy policy: LogPrivacyPolicy) -> LogValue {
        if isShown(by: policy) { return decoded }
        var text = LogBuffer(capacity: 64)
        text.append(replacementOf: self, by: policy)
        return .string(text.text)
    }
}

// MARK: Privacy, which is decided here for text, JSON, fields, patterns and filters

extension EncodedValue {
    /// Whether a logger with this policy writes the value itself.
    ///
    /// A sensitive value was never recorded: its replacement is the value.
    @inline(__always)
    func isShown(by policy: LogPrivacyPolicy) -> Bool {
        if privacy == .public || privacy == .sensitive { return true }
        return if case .reveal = policy { true } else { false }
    }

    /// What is hashed or encrypted with a key.
    fileprivate var plainText: [UInt8] {
        var text = LogBuffer(capacity: 64)
        text.append(self)
        return text.withUnsafeBytes { Array($0) }
    }
}

extension LogBuffer {
    /// Appends what a logger with this policy writes in place of a value that it does not show.
    mutating func append(replacementOf value: EncodedValue, by policy: LogPrivacyPolicy) {
        switch policy {
        case .redact where value.privacy == .private: append(LogPrivacyPolicy.privateText)
        case .redact, .hash, .reveal: appendHash(of: value.payload)
        case .keyedHash(let key): key.append(value.plainText, .hash, to: &self)
        case .encrypt(let key): key.append(value.plainText, .encryption, to: &self)
        }
    }
}

/// Decodes a value whose extent has been checked by `PieceReader`.
private struct ValueReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private mutating func take<T: BitwiseCopyable>(_ type: T.Type) -> T {
        defer { offset += MemoryLayout<T>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    private mutating func text() -> String {
        let count = Int(take(UInt32.self))
        defer { offset += count }
        return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }

    mutating func value(_ tag: PieceTag) -> LogValue {
        tag == .array || tag == .object ? nested(isObject: tag == .object) : scalar(tag)
    }

    /// The only recursive function here, so that a level needs little stack.
    private mutating func nested(isObject: Bool) -> LogValue {
        var (values, fields) = ([LogValue](), LogMetadata())
        for _ in 0..<take(UInt32.self) {
            let key = isObject ? text() : ""
            let tag = PieceTag(rawValue: take(UInt8.self)) ?? .null
            let value: LogValue
            if tag == .array || tag == .object {
                value = nested(isObject: tag == .object)
            } else {
                value = scalar(tag)
            }
            if isObject { fields.appendUnchecked(key, value) } else { values.append(value) }
        }
        return isObject ? .object(fields) : .array(values)
    }

    @inline(never)
    private mutating func scalar(_ tag: PieceTag) -> LogValue {
        switch tag {
        case .bool: return .bool(take(UInt8.self) != 0)
        case .integer: return .integer(take(Int64.self))
        case .unsigned: return .unsigned(take(UInt64.self))
        case .double: return .double(take(Double.self))
        case .float: return LogValue(take(Float.self))
        case .string: return .string(text())
        case .timestamp: return .timestamp(LogTimestamp(nanoseconds: take(Int64.self)))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: take(Double.self)))
        case .uuid: return .uuid(UUID(uuid: take(uuid_t.self)))
        case .decimal: return .decimal(text())
        case .json: return .json(text())
        case .described:
            _ = text()
            return .json(text())
        case .null, .array, .object, .literal, .name, .privacy, .format: return .null
        }
    }
}
