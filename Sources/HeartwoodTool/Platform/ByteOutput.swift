import CHeartwood
import Heartwood

/// Where a subcommand writes bytes to: standard output, or a new file.
final class ByteOutput: Sendable {
    static let standard = ByteOutput()

    let place: String
    /// The new file, and the directory in which it is; nil for standard output.
    private let file: (directory: Directory, name: String, file: Descriptor)?
    private var descriptor: Int32 { file?.file.number ?? 1 }

    private init() { (place, file) = ("standard output", nil) }

    /// Makes a file that only its owner may read.
    ///
    /// - Throws: `LogError` where there is one already, or none can be made.
    convenience init(newFile path: String) throws {
        let (folder, name) = path.folderAndName
        let directory: Directory
        do throws(LogError) {
            directory = try Directory(folder, policy: .init(acceptsShared: true), isMade: false)
        } catch { throw LogError(.file, "cannot create the file", place: path, cause: error.cause) }
        do throws(SystemFailure) { try self.init(newFile: name, in: directory, at: path) } catch {
            throw LogError(
                .file,
                error.isError(EEXIST)
                    ? "the file already exists; choose another name" : "cannot create the file",
                place: path, cause: error.number)
        }
    }

    /// Makes a file in a directory that only its owner may read.
    init(newFile name: String, in directory: Directory, at place: String) throws(SystemFailure) {
        self.place = place
        file = (directory, name, try directory.create(name))
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
    func remove() { if let file { _ = try? file.directory.remove(file.name) } }

    /// Waits until the disk has what was written to the file.
    ///
    /// - Throws: `LogError` where it has not.
    func synchronize() throws {
        do throws(SystemFailure) { try file?.file.sync() } catch {
            throw LogError(.file, "cannot sync the file to disk", place: place, cause: error.number)
        }
    }
}
