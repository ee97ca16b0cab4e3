#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood

/// Entries as bytes, as the spool keeps them: a version, then the properties in their order.
///
/// Numbers are little-endian, texts are a length (u32) and UTF-8. A reader takes nothing on trust: every
/// length is checked before it is used, and values nest as deep as `LogValue` says at most.
package enum EntryCoder {
    private static let version: UInt8 = 1

    // MARK: Writing

    /// The bytes.
    package static func encode(_ entry: RemoteEntry) -> [UInt8] {
        var output: [UInt8] = [version]
        output.reserveCapacity(256)
        SpoolFrame.append(entry.time.nanoseconds, to: &output)
        output.append(UInt8(clamping: entry.severity.index))
        append(entry.levelName, to: &output)
        append(entry.category, to: &output)
        SpoolFrame.append(Int64(entry.context), to: &output)
        append(entry.text, to: &output)
        append(entry.file, to: &output)
        append(entry.function, to: &output)
        SpoolFrame.append(Int64(entry.line), to: &output)
        SpoolFrame.append(entry.threadID, to: &output)
        append(entry.threadName, to: &output)
        append(entry.queueLabel, to: &output)
        append(entry.taskName, to: &output)
        SpoolFrame.append(entry.sequence, to: &output)
        append(entry.fields, to: &output, depth: 0)
        append(entry.metadata, to: &output, depth: 0)
        return output
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            SpoolFrame.append(UInt32(clamping: bytes.count), to: &output)
            output.append(contentsOf: bytes)
        }
    }

    private static func append(_ text: String?, to output: inout [UInt8]) {
        output.append(text == nil ? 0 : 1)
        if let text { append(text, to: &output) }
    }

    private static func append(_ fields: LogMetadata, to output: inout [UInt8], depth: Int) {
        SpoolFrame.append(UInt32(clamping: fields.count), to: &output)
        for (key, value) in fields {
            append(key, to: &output)
            append(value, to: &output, depth: depth)
        }
    }

    private static func append(_ value: LogValue, to output: inout [UInt8], depth: Int) {
        if depth == LogValue.maximumDepth, value.isNested { return append(.cut, to: &output, depth: 0) }
        switch value {
        case .null: output.append(0)
        case .bool(let value): output += [1, value ? 1 : 0]
        case .integer(let value): tagged(2, value, &output)
        case .unsigned(let value): tagged(3, value, &output)
        case .double(let value): tagged(4, value.bitPattern, &output)
        case .string(let value): tagged(5, value, &output)
        case .timestamp(let value): tagged(6, value.nanoseconds, &output)
        case .uuid(let value): tagged(7, value.uuidString, &output)
        case .decimal(let value): tagged(8, value, &output)
        case .json(let value): tagged(9, value, &output)
        case .array(let values):
            output.append(10)
            SpoolFrame.append(UInt32(clamping: values.count), to: &output)
            for value in values { append(value, to: &output, depth: depth + 1) }
        case .object(let fields):
            output.append(11)
            append(fields, to: &output, depth: depth + 1)
        case .date(let value): tagged(12, value.timeIntervalSinceReferenceDate.bitPattern, &output)
        }
    }

    private static func tagged(_ tag: UInt8, _ number: some FixedWidthInteger, _ output: inout [UInt8]) {
        output.append(tag)
        SpoolFrame.append(number, to: &output)
    }

    private static func tagged(_ tag: UInt8, _ text: String, _ output: inout [UInt8]) {
        output.append(tag)
        append(text, to: &output)
    }

    // MARK: Reading

    /// The entry, or nil where the bytes are not an entry.
    package static func decode(_ bytes: [UInt8], id: String) -> RemoteEntry? {
        bytes.withUnsafeBytes { bytes in
            var reader = Reader(bytes: bytes)
            guard let entry = try? reader.entry(id: id), reader.position == bytes.count else { return nil }
            return entry
        }
    }

    private struct Malformed: Error {}

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        mutating func entry(id: String) throws -> RemoteEntry {
            guard try byte() == EntryCoder.version else { throw Malformed() }
            var entry = RemoteEntry()
            entry.id = id
            entry.time = LogTimestamp(nanoseconds: try number())
            entry.severity = LogLevel.standardLevels[min(6, Int(try byte()))]
            entry.levelName = try text()
            entry.category = try optionalText()
            entry.context = Int(clamping: try number(Int64.self))
            entry.text = try text()
            entry.file = try text()
            entry.function = try text()
            entry.line = Int(clamping: try number(Int64.self))
            entry.threadID = try number()
            entry.threadName = try optionalText()
            entry.queueLabel = try optionalText()
            entry.taskName = try optionalText()
            entry.sequence = try number()
            entry.fields = try fields(depth: 0)
            entry.metadata = try fields(depth: 0)
            return entry
        }

        mutating func byte() throws -> UInt8 {
            guard position < bytes.count else { throw Malformed() }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws -> Number {
            let size = MemoryLayout<Number>.size
            guard bytes.count - position >= size else { throw Malformed() }
            defer { position += size }
            return SpoolFrame.load(bytes, position, type)
        }

        mutating func text() throws -> String {
            let count = Int(try number(UInt32.self))
            guard bytes.count - position >= count else { throw Malformed() }
            defer { position += count }
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]), as: UTF8.self)
        }

        mutating func optionalText() throws -> String? { try byte() == 0 ? nil : try text() }

        mutating func fields(depth: Int) throws -> LogMetadata {
            var fields: [(String, LogValue)] = []
            for _ in 0..<(try number(UInt32.self)) { fields.append((try text(), try value(depth: depth))) }
            return LogMetadata(fields)
        }

        mutating func value(depth: Int) throws -> LogValue {
            guard depth <= LogValue.maximumDepth else { throw Malformed() }
            switch try byte() {
            case 0: return .null
            case 1: return .bool(try byte() != 0)
            case 2: return .integer(try number())
            case 3: return .unsigned(try number())
            case 4: return .double(Double(bitPattern: try number()))
            case 5: return .string(try text())
            case 6: return .timestamp(LogTimestamp(nanoseconds: try number()))
            case 7:
                guard let uuid = UUID(uuidString: try text()) else { throw Malformed() }
                return .uuid(uuid)
            case 8: return .decimal(try text())
            case 9: return .json(try text())
            case 10:
                var values: [LogValue] = []
                for _ in 0..<(try number(UInt32.self)) { values.append(try value(depth: depth + 1)) }
                return .array(values)
            case 11: return .object(try fields(depth: depth + 1))
            case 12:
                return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number())))
            default: throw Malformed()
            }
        }
    }
}
