import CHeartwood
import Heartwood
import HeartwoodHTTP
import HeartwoodReading

/// Standard input and pipes as files that grow, since a page asks for any part of a log at any time.
///
/// Each is copied into a file of a temporary directory that only the user may read, as text where it is
/// compressed or encrypted. The directory is removed at the end.
final class ViewStreams {
    private var directory: Directory?
    private var count = 0

    /// The path under which an operand can be read: its own, or that of the file that a stream is copied
    /// into.
    ///
    /// - Throws: `LogError` where the stream cannot be opened, or no file can be made for it.
    func path(for operand: String, key: (any SecretProvider)?) throws -> String {
        guard operand == "-" || ViewStreams.isStream(operand) else { return operand }
        // Opened by the thread that reads: a named pipe may still be without a writer.
        let name = operand == "-" ? "standard input" : String(operand.split(separator: "/").last ?? "")
        let parent = try directory ?? SystemCalls.makeTemporaryDirectory()
        directory = parent
        // One directory for each stream, so that two of them may have the same name.
        let place = "\(parent.path)/\(count)/\(name)"
        let output: ByteOutput
        do throws(SystemFailure) {
            output = try ByteOutput(
                newFile: name, in: parent.subdirectory("\(count)", isMade: true), at: place)
        } catch {
            throw LogError(.file, "cannot create the file", place: place, cause: error.number)
        }
        count += 1
        let isStarted = DetachedThread.start { ViewStreams.copy(operand, to: output, key: key) }
        guard isStarted else { throw LogError(.file, "cannot start a thread for", place: operand) }
        return place
    }

    private static func isStream(_ path: String) -> Bool {
        let calls = SystemCalls()
        guard let kind = try? calls.status(path: path).kind, kind != .regular, kind != .directory else {
            return false
        }
        if kind == .other { return true }
        // A link, as /dev/fd/63 is one. A named pipe is not opened: closing it would be its end for the
        // writer.
        guard let descriptor = try? calls.openForReading(path) else { return false }
        defer { calls.close(descriptor) }
        return (try? calls.status(descriptor).kind) == .other
    }

    private static func copy(_ operand: String, to output: ByteOutput, key: (any SecretProvider)?) {
        do {
            let source = try LogFileSource(path: operand, key: key)
            while let text = try source.next() { try output.write(text) }
            if let damage = source.damage {
                Terminal.error.write("heartwood view: \(LogReading.name(of: operand)): \(damage)\n")
            }
        } catch {
            Terminal.error.write("heartwood view: \(error); what came is still shown\n")
        }
    }

    /// Removes what was made.
    func remove() {
        guard let directory else { return }
        for number in 0..<count { try? directory.removeDirectory("\(number)") }
        rmdir(directory.path)
    }
}
