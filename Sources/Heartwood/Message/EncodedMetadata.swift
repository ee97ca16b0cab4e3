/// Fields in the form that a record carries, encoded once and copied into each message.
struct EncodedMetadata: Sendable {
    let value: LogMetadata
    let bytes: [UInt8]

    init(_ value: LogMetadata) {
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
