import CHeartwood
import Heartwood

/// Where a subcommand writes bytes to: standard output, or a new file.
final class ByteOutput: Sendable {
    static let standard = ByteOutput(1, "standard output")

    let place: String
    private let descriptor: Int32

    private init(_ descriptor: Int32, _ place: String) {
        self.descriptor = descriptor
        self.place = place
    }

    deinit { if descriptor > 2 { close(descriptor) } }

    /// Makes a file that only its owner may read.
    ///
    /// - Throws: `LogError` where there is one already, or none can be made.
    convenience init(newFile path: String) throws {
        let descriptor = SystemCalls.createFile(path)
        guard descriptor >= 0 else {
            throw LogError(
                .file,
                hw_errno() == EEXIST
                    ? "the file already exists; choose another name" : "cannot create the file",
                place: path, cause: hw_errno())
        }
        self.init(descriptor, path)
    }

    /// Writes all bytes.
    ///
    /// - Throws: `LogError` where that is not possible; the program ends where it was a pipe whose reader has
    ///   gone.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            let error = SystemCalls.write(bytes, to: descriptor)
            if error == 0 { return }
            if error == EPIPE, descriptor == 1 { exit(0) }  // the reader has seen enough
            throw LogError(.file, "cannot write", place: place, cause: error)
        }
    }

    /// Removes the file again.
    func remove() { if descriptor > 2 { unlink(place) } }

    /// Waits until the disk has what was written to the file.
    ///
    /// - Throws: `LogError` where it has not.
    func synchronize() throws {
        if descriptor > 2, fsync(descriptor) != 0 {
            throw LogError(.file, "cannot sync the file to disk", place: place, cause: hw_errno())
        }
    }
}
