import Foundation

/// Files of the program in the place of those that the library has open below a path: as where a daemon closes all
/// descriptors, and opens files of its own, which get the same numbers.
package final class TakenNumbers {
    package let numbers: [Int32]
    private let paths: [String]

    /// Takes all numbers of files whose paths, as the system knows them, begin with `prefix`, except `others`.
    package init(of prefix: String, except others: [Int32] = [], data directory: String) {
        numbers = Self.openNumbers(of: prefix).filter { !others.contains($0) }
        let name = UUID().uuidString
        paths = numbers.map { "\(directory)/data-\(name)-\($0)" }
        for (number, path) in zip(numbers, paths) {
            let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            dup2(file, number)
            close(file)
        }
    }

    /// The numbers of open files whose paths begin with `prefix`.
    package static func openNumbers(of prefix: String) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.compactMap { Int32($0) }.filter { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path?.hasPrefix(prefix) == true
        }.sorted()
    }

    /// Whether all are open, with nothing in them.
    package var isUntouched: Bool {
        zip(numbers, paths).allSatisfy { number, path in
            var (there, named) = (stat(), stat())
            return fstat(number, &there) == 0 && stat(path, &named) == 0 && there.st_ino == named.st_ino
                && there.st_size == 0
        }
    }

    deinit { for number in numbers { close(number) } }
}
