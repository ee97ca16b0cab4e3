/// Reading more than one call gives.
extension SystemCalls {
    /// Reads the first `count` bytes of `block` at a position; returns how many there were before the end of
    /// the file.
    package func fill(
        _ block: inout [UInt8], _ count: Int, from descriptor: Int32, at offset: Int
    ) throws(SystemFailure) -> Int {
        var done = 0
        while done < count {
            var result: Result<Int, SystemFailure> = .success(0)
            block.withUnsafeMutableBytes { bytes in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[done..<count])
                do throws(SystemFailure) {
                    result = .success(try read(descriptor, part, at: offset + done))
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

    /// At most `count` bytes from a position; fewer before the end of the file.
    package func bytes(
        _ count: Int, of descriptor: Int32, at offset: Int
    ) throws(SystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.removeLast(count - (try fill(&bytes, count, from: descriptor, at: offset)))
        return bytes
    }

    /// The whole content of a file; nil where it has more than `limit` bytes.
    package func contents(of descriptor: Int32, limit: Int) throws(SystemFailure) -> [UInt8]? {
        var contents: [UInt8] = []
        var block = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while contents.count <= limit {
            let count = try fill(&block, block.count, from: descriptor, at: contents.count)
            contents += block.prefix(count)
            if count < block.count { break }
        }
        return contents.count <= limit ? contents : nil
    }
}
