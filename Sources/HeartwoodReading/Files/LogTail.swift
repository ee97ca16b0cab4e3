import Heartwood

/// Finds where the last lines of files begin, from the end, so that a large file costs no more than a small
/// one.
package enum LogTail {
    /// The place in a plain file where its last `count` lines begin, and how many there are from there.
    ///
    /// Returns nil for a file that is not plain text, which can be read from the beginning only.
    package static func start(of path: String, lines count: Int) throws -> (offset: Int, lines: Int)? {
        let calls = SystemCalls()
        do throws(SystemFailure) {
            let file = try Descriptor(try calls.openForReading(path), calls)
            let magic = try calls.bytes(EncryptedFrame.magic.count, of: file.number, at: 0)
            guard ArchiveStage(of: magic) == .plain else { return nil }
            let size = try calls.status(file.number).size
            if size == 0 { return (0, 0) }
            // The newline at the very end ends the last line, and begins none.
            var newlines = Newlines(of: file.number, before: size - 1, calls)
            for found in 1...max(1, count) {
                guard let newline = try newlines.previous() else { return (0, found) }
                if found == count { return (newline + 1, count) }
            }
            return (size, 0)
        } catch {
            throw LogError(.file, "Cannot read the file", place: path, cause: error.number)
        }
    }

    /// Where the line of an open plain file begins that a place is in, or at the end of.
    static func lineStart(
        in number: Int32, before end: Int, _ calls: SystemCalls
    ) throws(SystemFailure) -> Int {
        var newlines = Newlines(of: number, before: end, calls)
        return try newlines.previous().map { $0 + 1 } ?? 0
    }

    /// The newlines of an open file, from a place to its beginning.
    private struct Newlines {
        /// How much is read at a time.
        private static let blockSize = 1 << 16

        private let number: Int32
        private let calls: SystemCalls
        private var block: [UInt8] = []
        /// Where the block begins, and how much of it was not looked at yet.
        private var start: Int
        private var rest = 0

        init(of number: Int32, before end: Int, _ calls: SystemCalls) {
            (self.number, self.calls, start) = (number, calls, end)
        }

        mutating func previous() throws(SystemFailure) -> Int? {
            while true {
                if let newline = block[..<rest].lastIndex(of: .newline) {
                    rest = newline
                    return start + newline
                }
                guard start > 0 else { return nil }
                let size = min(start, Newlines.blockSize)
                start -= size
                block = try calls.bytes(size, of: number, at: start)
                rest = block.count
            }
        }
    }
}

extension ArchiveStage {
    /// What a file is whose first bytes are these.
    package init(of beginning: some Sequence<UInt8>) {
        if beginning.starts(with: [0x1f, 0x8b]) {
            self = .gzip
        } else {
            self = beginning.starts(with: EncryptedFrame.magic) ? .encrypted : .plain
        }
    }
}
