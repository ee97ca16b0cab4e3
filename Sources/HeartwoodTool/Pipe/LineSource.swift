import CHeartwood
import Heartwood
import HeartwoodReading

/// Something to read lines from: standard input, or a file of any kind.
final class LineSource {
    /// What a read brought.
    enum Reading {
        case bytes(Int)
        case end
        /// Nothing came for as long as was allowed, or the process was asked to stop.
        case nothing
        case failed(LogError)
    }

    let name: String
    private let descriptor: Int32
    private let isOwned: Bool
    /// Whether reading never has to wait.
    let isFile: Bool

    /// Whether compressed text is recognized by its first bytes, and read as what it was; until they are
    /// known.
    private var looksForGzip: Bool
    private var gzip: GzipText?
    /// What was read and not handed out yet: the first byte, as long as it is alone.
    private var held: [UInt8] = []

    /// Takes standard input.
    init(decompresses: Bool = true) {
        looksForGzip = decompresses
        name = "standard input"
        descriptor = 0
        isOwned = false
        isFile = (try? SystemCalls().status(0))?.kind == .regular
    }

    /// Opens a file, a device or a named pipe.
    ///
    /// - Throws: `LogError` where it cannot be read.
    init(path: String, decompresses: Bool = true) throws {
        name = path
        looksForGzip = decompresses
        // Not blocking, so that a named pipe without a writer can be given up; `read` waits by poll(2).
        do throws(SystemFailure) {
            descriptor = try SystemCalls().openForReading(path)
        } catch {
            throw LogError(.file, "cannot be opened", place: path, cause: error.number)
        }
        isOwned = true
        let kind = (try? SystemCalls().status(descriptor))?.kind
        isFile = kind == .regular
        if kind == .directory {
            close(descriptor)
            throw LogError(.file, "is a directory; name the files in it", place: path)
        }
    }

    deinit { if isOwned { close(descriptor) } }

    /// Reads what is there, as text where it is compressed; waits for something `milliseconds` at most (-1:
    /// as long as it takes), or until `stop`.
    func read(into room: UnsafeMutableRawBufferPointer, stop: StopSignal, milliseconds: Int32) -> Reading {
        if let gzip { return inflate(into: room, gzip, stop, milliseconds) }
        guard looksForGzip else { return readOn(into: room, stop: stop, milliseconds: milliseconds) }
        // One byte may have come alone.
        let count = held.count
        room.copyBytes(from: held)
        let free = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let reading = readOn(into: free, stop: stop, milliseconds: milliseconds)
        guard case .bytes(let more) = reading else {
            if case .nothing = reading, !stop.isRequested || count == 0 { return reading }
            looksForGzip = false
            return count > 0 ? .bytes(count) : reading
        }
        let start = UnsafeRawBufferPointer(rebasing: room[..<(count + more)])
        if start.count == 1, start[0] == 0x1F {
            held = Array(start)
            return .nothing
        }
        looksForGzip = false
        guard ArchiveStage(of: start) == .gzip else { return .bytes(start.count) }
        do {
            let text = try GzipText(of: name, beginning: start)
            gzip = text
            return inflate(into: room, text, stop, milliseconds)
        } catch {
            return .failed(LogError(.file, "is compressed and cannot be read: \(error)", place: name))
        }
    }

    /// The next text of compressed input.
    private func inflate(
        into room: UnsafeMutableRawBufferPointer, _ text: GzipText, _ stop: StopSignal, _ milliseconds: Int32
    ) -> Reading {
        var reading = Reading.end
        do {
            let count = try text.next(into: room) { room in
                reading = readOn(into: room, stop: stop, milliseconds: milliseconds)
                return switch reading {
                case .bytes(let count): count
                case .end: 0
                case .nothing, .failed: nil
                }
            }
            guard let count else { return reading }
            if count > 0 { return .bytes(count) }
            guard let damage = text.damage else { return .end }
            return .failed(LogError(.file, "is compressed; \(damage)", place: name))
        } catch {
            return .failed(LogError(.file, "cannot be decompressed: \(error)", place: name))
        }
    }

    private func readOn(
        into room: UnsafeMutableRawBufferPointer, stop: StopSignal, milliseconds: Int32
    ) -> Reading {
        while true {
            if !isFile {
                switch wait(stop, milliseconds) {
                case 0: return .nothing
                case let events where events < 0: return .failed(failure)
                default: break
                }
            }
            let count = CHeartwood.read(descriptor, room.baseAddress, room.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch hw_errno() {
            case EINTR: continue
            case EAGAIN: if wait(stop, milliseconds) == 0 { return .nothing }
            default: return .failed(failure)
            }
        }
    }

    private var failure: LogError { LogError(.file, "cannot be read", place: name, cause: hw_errno()) }

    /// Waits for input; 1 when some has come, 0 when none came in time or the process is asked to stop, -1 on
    /// failure.
    private func wait(_ stop: StopSignal, _ milliseconds: Int32) -> Int {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Once the stop is known, only the input counts, and not for as long as it takes: the caller may not
        // have known yet.
        let isStopping = stop.isRequested
        let limit = isStopping && !(0...200).contains(milliseconds) ? 200 : milliseconds
        let count = poll(&entries, isStopping ? 1 : 2, limit)
        if count < 0 { return hw_errno() == EINTR ? 0 : -1 }
        return entries[0].revents == 0 ? 0 : 1
    }
}
