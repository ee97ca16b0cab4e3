#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads encoded pieces, one by one.
///
/// Bytes that are no pieces end the reading; nothing is read beyond the end.
struct PieceReader {
    enum Piece {
        case literal(UnsafeRawBufferPointer)
        case value(EncodedValue)
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    @inline(__always)
    private mutating func take<T: BitwiseCopyable>(_ type: T.Type) -> T? {
        let size = MemoryLayout<T>.size
        guard offset + size <= bytes.count else { return nil }
        defer { offset += size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, offset + count <= bytes.count else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    // MARK: Pieces without options

    /// Whether everything was read.
    var isAtEnd: Bool { offset == bytes.count }

    /// The tag of the next element; 0 at the end.
    @inline(__always)
    var nextTag: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Takes the element whose tag was looked at, and whose value is a number.
    @inline(__always)
    mutating func takePlain<T: BitwiseCopyable>(_ type: T.Type) -> T? {
        let end = offset &+ 1 &+ MemoryLayout<T>.size
        guard end <= bytes.count, let base = bytes.baseAddress else { return nil }
        defer { offset = end }
        return (base + offset + 1).loadUnaligned(as: type)
    }

    /// Takes the element whose tag was looked at, and whose value is a text.
    @inline(__always)
    mutating func takePlainText() -> UnsafeRawBufferPointer? {
        let start = offset &+ 5
        guard start <= bytes.count, let base = bytes.baseAddress else { return nil }
        let count = Int((base + offset + 1).loadUnaligned(as: UInt32.self))
        let end = start &+ count
        guard end <= bytes.count else { return nil }
        offset = end
        return UnsafeRawBufferPointer(start: base + start, count: count)
    }

    /// Moves past literals and values without options; whether that is all there is, so that none has a name.
    mutating func skipPlain() -> Bool {
        while true {
            switch nextTag {
            case 0: return offset == bytes.count
            case PieceTag.literal.rawValue, PieceTag.string.rawValue:
                if takePlainText() == nil { return false }
            case PieceTag.integer.rawValue, PieceTag.unsigned.rawValue, PieceTag.double.rawValue:
                if takePlain(UInt64.self) == nil { return false }
            case PieceTag.bool.rawValue:
                if takePlain(UInt8.self) == nil { return false }
            default: return false
            }
        }
    }

    // MARK: Any pieces

    @inline(__always)
    mutating func next() -> Piece? {
        var name: UnsafeRawBufferPointer?
        var privacy = LogPrivacy.public
        var format = ValueFormat.plain
        while let code = take(UInt8.self), let tag = PieceTag(rawValue: code) {
            switch tag {
            case .literal:
                guard let count = take(UInt32.self), let text = take(Int(count)) else { return nil }
                return .literal(text)
            case .name:
                guard let count = take(UInt16.self), let text = take(Int(count)) else { return nil }
                name = text
            case .privacy:
                guard let code = take(UInt8.self) else { return nil }
                privacy = LogPrivacy(rawValue: code) ?? .private
            case .format:
                guard let kind = take(UInt8.self), let first = take(UInt8.self), let second = take(UInt8.self)
                else {
                    return nil
                }
                format = ValueFormat(ValueFormat.Kind(rawValue: kind) ?? .plain, Int(first), Int(second))
            default:
                let start = offset
                guard skip(tag, depth: 0) else { return nil }
                let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                return .value(
                    EncodedValue(tag: tag, payload: payload, name: name, privacy: privacy, format: format))
            }
        }
        return nil
    }

    /// Moves past the payload of a value; false where the bytes end before it does.
    @inline(__always)
    private mutating func skip(_ tag: PieceTag, depth: Int) -> Bool {
        switch tag {
        case .null: return true
        case .bool: return take(1) != nil
        case .float: return take(4) != nil
        case .integer, .unsigned, .double, .timestamp, .date: return take(8) != nil
        case .uuid: return take(16) != nil
        case .string, .decimal, .json:
            guard let count = take(UInt32.self) else { return false }
            return take(Int(count)) != nil
        case .described: return skipText() && skipText()
        case .array, .object: return skipElements(tag, depth: depth)
        case .literal, .name, .privacy, .format: return false
        }
    }

    private mutating func skipText() -> Bool {
        guard let count = take(UInt32.self) else { return false }
        return take(Int(count)) != nil
    }

    private mutating func skipElements(_ tag: PieceTag, depth: Int) -> Bool {
        guard depth < LogValue.maximumDepth, let count = take(UInt32.self) else { return false }
        for _ in 0..<count {
            if tag == .object, !skipText() { return false }
            guard let code = take(UInt8.self), let tag = PieceTag(rawValue: code), skip(tag, depth: depth + 1)
            else {
                return false
            }
        }
        return true
    }
}
