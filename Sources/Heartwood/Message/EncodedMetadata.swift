/// Fields in the form that a record carries, encoded once and copied into each message.
package struct EncodedMetadata: Sendable {
    let value: LogMetadata
    package let bytes: [UInt8]

    package init(_ value: LogMetadata) {
        self.value = value
        if value.isEmpty {
            bytes = []
        } else {
            var pieces = LogText.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            pieces.put(value)
            bytes = Array(
                UnsafeRawBufferPointer(start: pieces.buffer.base, count: pieces.cursor - pieces.buffer.base))
            ThreadState.current.recycle(pieces.buffer)
        }
    }

    /// Reads fields from bytes that may be damaged; nil if they are anything but fields.
    package static func fields(in bytes: UnsafeRawBufferPointer) -> LogMetadata? {
        var fields: [(String, LogValue)] = []
        var reader = PieceReader(bytes)
        while !reader.isAtEnd {
            guard case .value(let value)? = reader.next(), let name = value.name else { return nil }
            fields.append((String(decoding: name, as: UTF8.self), value.decoded))
        }
        return LogMetadata(fields)
    }

    /// Calls `body` with each field.
    func forEach(_ body: (String, EncodedValue) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var reader = PieceReader(bytes)
            while case .value(let value)? = reader.next() {
                body(value.name.map { String(decoding: $0, as: UTF8.self) } ?? "", value)
            }
        }
    }
}
