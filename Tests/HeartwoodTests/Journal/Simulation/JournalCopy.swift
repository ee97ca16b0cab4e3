import CHeartwood
import Foundation

/// Copies the files of a directory as they are at a moment: what is left of a process that dies then.
///
/// Holes stay holes, where the system says where they are: a journal is mostly empty.
enum JournalCopy {
    static func make(of directory: String, in copy: String) {
        mkdir(copy, 0o700)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            copyFile(directory + "/" + name, to: copy + "/" + name)
        }
    }

    /// Gives every file of a directory a second name, as a backup by hard links does.
    static func link(_ directory: String, in backup: String) {
        mkdir(backup, 0o700)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            _ = CHeartwood.link(directory + "/" + name, backup + "/" + name)
        }
    }

    private static func copyFile(_ path: String, to copy: String) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer {
            close(source)
            close(target)
        }
        let size = lseek(source, 0, SEEK_END)
        ftruncate(target, size)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var position: off_t = 0
        while position < size, let part = nextPart(of: source, from: position, size) {
            position = part.lowerBound
            while position < part.upperBound {
                let count = pread(
                    source, &buffer, min(buffer.count, Int(part.upperBound - position)), position)
                if count <= 0 { break }
                pwrite(target, buffer, count, position)
                position += off_t(count)
            }
        }
    }

    /// The next part of a file that is not a hole; nil at the end of the file.
    private static func nextPart(of file: Int32, from position: off_t, _ size: off_t) -> Range<off_t>? {
        #if os(Linux)
        let (data, hole) = (Int32(3), Int32(4))
        let start = lseek(file, position, data)
        if start < 0 { return errno == ENXIO ? nil : position..<size }
        let end = lseek(file, start, hole)
        return start..<(end > start ? end : size)
        #else
        return position..<size
        #endif
    }
}
