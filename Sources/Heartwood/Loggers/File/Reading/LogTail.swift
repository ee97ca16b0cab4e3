import CHeartwood

/// Finds where the last lines of files begin, from the end, so that a large file costs no more than a small one.
package enum LogTail {
    /// How much is read at a time.
    private static let blockSize = 1 << 16

    /// The place in a plain file where its last `count` lines begin, and how many there are from there.
    ///
    /// Returns nil for a file that is not plain text, which can be read from the beginning only.
    package static func start(of path: String, lines count: Int) throws -> (offset: Int, lines: Int)? {
        let calls = SystemCalls()
        do throws(SystemFailure) {
            let file = Descriptor(try calls.openForReading(path), calls)
            var end = try calls.status(file.number).size
            var block = [UInt8](repeating: 0, count: blockSize)
            let magic = try read(file, &block, at: 0, 4, calls)
            if magic >= 2, block[0] == 0x1f, block[1] == 0x8b { return nil }
            if magic == 4, block.prefix(4).elementsEqual(EncryptedFrame.magic) { return nil }
            var found = 0
            var isLast = true
            while end > 0 {
                let start = max(0, end - blockSize)
                let got = try read(file, &block, at: start, end - start, calls)
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
            throw LogError(.file, "The file cannot be read", place: path, cause: error.number)
        }
    }

    private static func read(
        _ file: Descriptor, _ block: inout [UInt8], at offset: Int, _ count: Int, _ calls: SystemCalls
    ) throws(SystemFailure) -> Int {
        var done = 0
        while done < count {
            var result: Result<Int, SystemFailure> = .success(0)
            block.withUnsafeMutableBytes { bytes in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[done..<count])
                do throws(SystemFailure) {
                    result = .success(try calls.read(file.number, part, at: offset + done))
                } catch {
                    result = .failure(error)
                }
            }
            let got = try result.get()
            if got == 0 { break }
            done += got
        }
        return done
    }
}
