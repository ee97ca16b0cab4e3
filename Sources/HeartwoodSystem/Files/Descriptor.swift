import CHeartwood
import Synchronization

/// An open file or directory, closed when it is no longer used.
///
/// The number is ours only while it leads to what was opened. A program may close all descriptors, as
/// daemons do, and open files of its own, which get the same numbers: those are neither locked, written
/// nor closed.
package final class Descriptor: Sendable {
    /// The number that the kernel gave it.
    package let number: Int32
    /// What was opened.
    package let identity: FileStatus.Identity
    fileprivate let calls: SystemCalls
    private let owner: ProcessOwner
    /// The number was found to be closed: whatever has it from then on is not ours, be it the same file.
    private let isLost = Atomic<Bool>(false)

    /// Takes a number that was just opened, and closes it where it throws.
    package init(_ number: Int32, _ calls: SystemCalls) throws(SystemFailure) {
        do throws(SystemFailure) { identity = try calls.status(number).identity } catch {
            calls.close(number)
            throw error
        }
        self.number = number
        self.calls = calls
        owner = ProcessOwner(calls)
    }

    /// Whether the number leads to what was opened.
    package var isOurs: Bool {
        do throws(SystemFailure) { _ = try status() } catch { return error.number != EBADF }
        return true
    }

    /// The status of what was opened.
    ///
    /// - Throws: `EBADF` where the number was closed, or is another file's by now.
    package func status() throws(SystemFailure) -> FileStatus {
        let closed = SystemFailure(.status, EBADF)
        if isLost.load(ordering: .relaxed) { throw closed }
        do throws(SystemFailure) {
            let status = try calls.status(number)
            if status.identity == identity { return status }
            throw closed
        } catch {
            if error == closed { isLost.store(true, ordering: .relaxed) }
            throw error
        }
    }

    /// Frees the lock of the file.
    package func unlock() { if isOurs { calls.unlock(number) } }

    deinit {
        guard isOurs else { return }
        // A child that another thread is just starting has the descriptor, too, until it runs its program:
        // to close ours would leave the file locked so long. A forked child must not free its parent's
        // lock.
        if owner.isHere(calls) { calls.unlock(number) }
        calls.close(number)
    }
}

/// Whole reads and writes, of what was opened and nothing else: they fail with `EBADF` where the number was
/// closed.
extension Descriptor {
    /// Writes all of the bytes at the end of the file, in one call where the system takes them in one; never
    /// raises `SIGXFSZ`.
    ///
    /// - Returns: how many bytes were written, and what prevented the rest.
    package func append(_ bytes: [UInt8]) -> (written: Int, failure: SystemFailure?) {
        write(bytes) { rest, _ throws(SystemFailure) in try calls.write(number, rest, quietly: true) }
    }

    /// Writes all of the bytes at a position of a file that was not opened to append.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        let outcome = write(bytes) { rest, written throws(SystemFailure) in
            try calls.write(number, rest, at: offset + written)
        }
        if let failure = outcome.failure { throw failure }
    }

    private func write(
        _ bytes: [UInt8], _ write: (UnsafeRawBufferPointer, Int) throws(SystemFailure) -> Int
    ) -> (written: Int, failure: SystemFailure?) {
        do throws(SystemFailure) { _ = try status() } catch { return (0, error) }
        return bytes.withUnsafeBytes { SystemCalls.writeWhole($0, write) }
    }

    /// Adds to `output` what the file has from `offset` to its end, `limit` bytes at most.
    ///
    /// If it throws, `output` has what was read before the failure.
    package func read(from offset: Int, limit: Int, into output: inout [UInt8]) throws(SystemFailure) {
        let rest = max(1, try status().size - offset)
        var block = [UInt8](repeating: 0, count: min(limit, 262_144, rest))
        var position = offset
        while position - offset < limit {
            let wanted = min(block.count, limit - (position - offset))
            let count = try calls.fill(&block, wanted, from: number, at: position)
            output.append(contentsOf: block.prefix(count))
            if count < wanted { break }
            position += count
        }
    }

    package func truncate(to size: Int) throws(SystemFailure) {
        _ = try status()
        try calls.truncate(number, to: size)
    }

    /// Waits until the disk has the content.
    package func sync() throws(SystemFailure) {
        _ = try status()
        try calls.sync(number)
    }
}
