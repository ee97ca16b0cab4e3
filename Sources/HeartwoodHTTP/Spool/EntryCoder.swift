import Heartwood

/// Entries as bytes, as the spool keeps them: a version, then the properties in their order.
///
/// Numbers are little-endian, texts are a length (u32) and UTF-8; fields are a length and the bytes that a
/// record has of them. A reader takes nothing on trust: every length is checked before it is used, and values
/// nest as deep as `LogValue` says at most.
package enum EntryCoder {
    private static let version: UInt8 = 2

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
        append(entry.fields, to: &output)
        append(entry.metadata, to: &output)
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

    private static func append(_ fields: LogMetadata, to output: inout [UInt8]) {
        let bytes = EncodedMetadata(fields).bytes
        SpoolFrame.append(UInt32(clamping: bytes.count), to: &output)
        output += bytes
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
            entry.fields = try fields()
            entry.metadata = try fields()
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

        /// The bytes after a length.
        mutating func section() throws -> UnsafeRawBufferPointer {
            let count = Int(try number(UInt32.self))
            guard bytes.count - position >= count else { throw Malformed() }
            defer { position += count }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        }

        mutating func text() throws -> String { String(decoding: try section(), as: UTF8.self) }

        mutating func optionalText() throws -> String? { try byte() == 0 ? nil : try text() }

        mutating func fields() throws -> LogMetadata {
            guard let fields = EncodedMetadata.fields(in: try section()) else { throw Malformed() }
            return fields
        }
    }
}
