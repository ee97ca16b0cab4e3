import CHeartwood
import Heartwood

/// Finds where the last lines of files begin, from the end, so that a large file costs no more than a small
/// one.
package enum LogTail {
    /// How much is read at a time.
    private static let blockSize = 1 << 16

    /// The place in a plain file where its last `count` lines begin, and how many there are from there.
    ///
    /// Returns nil for a file that is not plain text, which can be read from the beginning only.
    package static func start(of path: String, lines count: Int) throws -> (offset: Int, lines: Int)? {
        let calls = SystemCalls()
        do throws(SystemFailure) {
            let file = try Descriptor(try calls.openForReading(path), calls)
            var end = try calls.status(file.number).size
            var block = [UInt8](repeating: 0, count: blockSize)
            let magic = try calls.fill(&block, 4, from: file.number, at: 0)
            if magic >= 2, block[0] == 0x1f, block[1] == 0x8b { return nil }
            if magic == 4, block.prefix(4).elementsEqual(EncryptedFrame.magic) { return nil }
            var found = 0
            var isLast = true
            while end > 0 {
                let start = max(0, end - blockSize)
                let got = try calls.fill(&block, end - start, from: file.number, at: start)
                for index in stride(from: got - 1, through: 0, by: -1)
                where block[index] == UInt8(ascii: "\n") {
                    // The newline at the very end ends the last line, and begins none.
                    if !(isLast && index == got - 1) {
                        found += 1
                        if found == count { return (start + index + 1, count) }
                    }
                    isLast = false
                }
                isLast = false
                end = start
            }
            let size = try calls.status(file.number).size
            return (0, size == 0 ? 0 : found + 1)
        } catch {
            throw LogError(.file, "Cannot read the file", place: path, cause: error.number)
        }
    }
}
