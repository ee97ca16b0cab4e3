import CHeartwood

/// Cuts off what a crash left of a last line, so that the next one begins at the beginning of a line (promise
/// 8).
struct TornLineRepair {
    /// How far back the end of the last whole line is looked for.
    static let reach = 1 << 20

    /// Cuts the file after its last newline, and zero bytes that a power cut left.
    ///
    /// A file that has no newline within reach is left as it is, with a newline at its end: it is not ours to
    /// guess.
    ///
    /// - Returns: how many bytes were cut off.
    static func repair(
        _ file: Descriptor, size: Int, calls: SystemCalls
    ) throws(SystemFailure) -> Int {
        guard size > 0 else { return 0 }
        var end = size
        var block = [UInt8](repeating: 0, count: 4096)
        while end > 0, size - end < reach {
            let start = max(0, end - block.count)
            let count = try calls.fill(&block, end - start, from: file.number, at: start)
            if let newline = block[..<count].lastIndex(of: UInt8(ascii: "\n")) {
                let whole = start + newline + 1
                if whole < size { try calls.truncate(file.number, to: whole) }
                return size - whole
            }
            end = start
        }
        if end == 0 {
            try calls.truncate(file.number, to: 0)
            return size
        }
        let newline: [UInt8] = [UInt8(ascii: "\n")]
        var failure: SystemFailure?
        newline.withUnsafeBytes { bytes in
            do throws(SystemFailure) { _ = try calls.write(file.number, bytes, quietly: true) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return 0
    }
}
