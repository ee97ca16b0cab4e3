import CHeartwood

/// The text of a message with its values: literal pieces and typed values, not a string.
///
/// You do not use this type directly: write an interpolated literal in a log call. Every value works as in a
/// `String`. Numbers, Booleans, strings, dates and UUIDs keep their type until a formatter reads them:
///
/// ```swift
/// logInfo("request \(id, as: "request_id") took \(ms, as: "ms", format: .fixed(2)) ms")
/// ```
///
/// The text is never a format: `"100%"` and `%s` are plain text.
public struct LogText: ExpressibleByStringInterpolation, Sendable {
    @usableFromInline let buffer: TextBuffer
    @usableFromInline let count: Int

    /// Gives the buffer back to the thread, for its next message.
    consuming func recycle() { ThreadState.current.recycle(buffer) }

    @usableFromInline
    static func takeBuffer() -> TextBuffer { ThreadState.current.takeBuffer() }

    /// Makes a text from a literal without values.
    @inlinable
    public init(stringLiteral value: StaticString) {
        var pieces = StringInterpolation(literalCapacity: value.utf8CodeUnitCount, interpolationCount: 0)
        pieces.appendLiteral(value)
        self.init(stringInterpolation: pieces)
    }

    /// Makes a text from a literal with values.
    @inlinable
    public init(stringInterpolation pieces: StringInterpolation) {
        buffer = pieces.buffer
        count = pieces.cursor - pieces.buffer.base
    }

    /// Makes a text from a string.
    public init(_ string: String) {
        var pieces = StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        pieces.appendInterpolation(string)
        self.init(stringInterpolation: pieces)
    }

    /// Takes bytes that should be UTF-8, and need not be: formatters write the others as `\\x{ff}`, JSON as
    /// U+FFFD.
    package init(utf8 bytes: UnsafeRawBufferPointer) {
        var pieces = StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        pieces.put(.string, bytes)
        self.init(stringInterpolation: pieces)
    }

    /// Collects the pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var buffer: TextBuffer
        @usableFromInline var cursor: UnsafeMutableRawPointer
        @usableFromInline var end: UnsafeMutableRawPointer

        /// Starts with the buffer of the thread, so that no memory is allocated.
        @inlinable
        public init(literalCapacity: Int, interpolationCount: Int) {
            buffer = LogText.takeBuffer()
            cursor = buffer.base
            end = buffer.base + buffer.capacity
        }

        /// Makes room for `count` bytes, in a larger buffer if need be.
        @inlinable @inline(__always)
        mutating func reserve(_ count: Int) {
            if end - cursor < count { grow(by: count) }
        }

        @usableFromInline @inline(never)
        mutating func grow(by count: Int) {
            let used = cursor - buffer.base
            let larger = TextBuffer(capacity: max(buffer.capacity * 2, used + count))
            larger.base.copyMemory(from: buffer.base, byteCount: used)
            buffer = larger
            cursor = larger.base + used
            end = larger.base + larger.capacity
        }

        @inlinable @inline(__always)
        mutating func put(_ tag: PieceTag) {
            reserve(1)
            cursor.write(tag.rawValue, at: 0)
            cursor += 1
        }

        @inlinable @inline(__always)
        mutating func put<T: BitwiseCopyable>(_ tag: PieceTag, _ value: T) {
            let size = MemoryLayout<T>.size
            reserve(1 + size)
            cursor.write(tag.rawValue, at: 0)
            cursor.write(value, at: 1)
            cursor += 1 + size
        }

        /// The same, for a text of unknown size.
        @inline(__always)
        private mutating func putText(_ tag: PieceTag, _ bytes: UnsafeRawBufferPointer) {
            let count = bytes.count
            reserve(5 + count)
            cursor.write(tag.rawValue, at: 0)
            cursor.write(UInt32(truncatingIfNeeded: count), at: 1)
            hw_copy(cursor + 5, bytes.baseAddress, count)
            cursor += 5 + count
        }

        @inlinable @inline(__always)
        mutating func put(_ tag: PieceTag, _ bytes: UnsafeRawBufferPointer) {
            let count = bytes.count
            reserve(5 + count)
            cursor.write(tag.rawValue, at: 0)
            cursor.write(UInt32(truncatingIfNeeded: count), at: 1)
            if let base = bytes.baseAddress { (cursor + 5).copyMemory(from: base, byteCount: count) }
            cursor += 5 + count
        }

        @usableFromInline
        mutating func put(_ tag: PieceTag, _ string: String) {
            // Most strings are in one piece; one that is not, as some of Apple's are, is copied first.
            let done: Void? = string.utf8.withContiguousStorageIfAvailable {
                putText(tag, UnsafeRawBufferPointer($0))
            }
            if done == nil {
                var string = string
                string.withUTF8 { put(tag, UnsafeRawBufferPointer($0)) }
            }
        }

        // Always inlined: the length of a literal is known where it is, so that a few stores are left of the
        // copy.
        /// Appends a piece of the literal.
        @inlinable @inline(__always)
        public mutating func appendLiteral(_ literal: StaticString) {
            let count = literal.utf8CodeUnitCount
            if count == 0 { return }
            if literal.hasPointerRepresentation {
                put(.literal, UnsafeRawBufferPointer(start: literal.utf8Start, count: count))
            } else {
                literal.withUTF8Buffer { put(.literal, UnsafeRawBufferPointer($0)) }
            }
        }
    }
}
