import CHeartwood

extension JournalSlot {
    /// A write that was under way when the process died.
    ///
    /// How much of it arrived is told by the file's bytes, not by its size: another process may have continued
    /// the file.
    package struct Intent: Equatable {
        package var file: FileStatus.Identity
        package var name: String
        /// The bytes that the file had before.
        package var size: Int
        /// Whether the records arrive all or none, as in one encrypted frame.
        package var isFrame = false
        /// Where each record ends in the write, and the mark of each; 0 for those that are no message of the journal.
        package var ends: [Int] = []
        package var marks: [UInt64] = []
        /// The check of each record's bytes; of a frame, that of all bytes, and that of the first ``frameHead``.
        package var checks: [UInt32] = []

        /// How many bytes of a frame are its alone: no other frame begins with them.
        static let frameHead = 40

        /// How many bytes the write has.
        package var length: Int { ends.last ?? 0 }

        static func check(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt32 {
            guard let base = bytes.baseAddress, 0 <= start, start <= end, end <= bytes.count else { return 0 }
            let sum = hw_fold_bytes(base + start, end - start, 0)
            return UInt32(truncatingIfNeeded: sum ^ sum >> 32)
        }

        /// What the file has now where the write began, as many bytes as the write has at most.
        package func content(
            of file: Int32, _ calls: SystemCalls
        ) throws(SystemFailure) -> [UInt8] {
            let now = try calls.status(file).size
            return try calls.bytes(min(length, max(0, now - size)), of: file, at: size)
        }

        /// Of a file that has `content` where the write began, ``length`` bytes of it at most: how many bytes of whole
        /// records arrived, up to which mark, and whether a part of one follows them.
        package func arrived(in content: UnsafeRawBufferPointer) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            isFrame ? frameArrived(content) : recordsArrived(content)
        }

        private func recordsArrived(
            _ content: UnsafeRawBufferPointer
        ) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            var result = (bytes: 0, mark: UInt64(0), isTorn: false)
            for (index, end) in ends.enumerated() {
                guard end <= content.count else {
                    // The lines of another process would end in a newline.
                    result.isTorn = content.count > result.bytes && content.last != UInt8(ascii: "\n")
                    break
                }
                guard Intent.check(content, result.bytes, end) == checks[index] else { break }
                result.bytes = end
                result.mark = max(result.mark, marks[index])
            }
            return result
        }

        private func frameArrived(
            _ content: UnsafeRawBufferPointer
        ) -> (bytes: Int, mark: UInt64, isTorn: Bool) {
            if content.count >= length, Intent.check(content, 0, length) == checks[0] {
                return (length, marks.max() ?? 0, false)
            }
            let isOurs =
                content.count < Intent.frameHead
                || Intent.check(content, 0, Intent.frameHead) == checks[1]
            return (0, 0, !content.isEmpty && content.count < length && isOurs)
        }
    }
}
