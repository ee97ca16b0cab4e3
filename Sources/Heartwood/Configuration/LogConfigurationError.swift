/// All problems of a configuration; none of its settings were applied.
///
///     logging.json:3:5: unknown setting “levle”: did you mean “level”?
///     logging.dev.json:7:24: loggers.file.maximumFileSize: “10 QB” is not a valid size; use 64 KiB, 10 MB or a number of bytes
public struct LogConfigurationError: Error, Sendable, CustomStringConvertible {
    /// One problem.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The source location of the problem.
        public let place: LogSettingLocation
        /// The setting: `loggers.file.level`; empty if the problem is about the file.
        public let path: String
        /// What is wrong and what to do, for a person.
        public let text: String

        /// The location, the setting and the problem.
        public var description: String {
            path.isEmpty ? "\(place): \(text)" : "\(place): \(path): \(text)"
        }
    }

    /// The problems, in the order of the settings; never empty.
    public let problems: [Problem]

    init(_ problems: [Problem]) { self.problems = problems }

    init(_ place: LogSettingLocation, path: String = "", _ text: String) {
        problems = [Problem(place: place, path: path, text: text)]
    }

    /// The problems, one per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// What was found wrong so far.
final class ProblemCollector {
    private(set) var problems: [LogConfigurationError.Problem] = []

    func add(_ place: LogSettingLocation, _ path: [String], _ text: String) {
        problems.append(
            LogConfigurationError.Problem(place: place, path: path.joined(separator: "."), text: text))
    }

    func add(_ error: LogConfigurationError) { problems += error.problems }

    /// The problems of each source in the order of its lines, whatever order they were found in.
    var sorted: [LogConfigurationError.Problem] {
        var sources: [String] = []
        for problem in problems where !sources.contains(problem.place.source) {
            sources.append(problem.place.source)
        }
        return sources.flatMap { source in
            let own = problems.enumerated().filter { $0.element.place.source == source }
            let ordered = own.sorted { left, right in
                let (one, other) = (left.element.place, right.element.place)
                return (one.line ?? 0, one.column ?? 0, left.offset)
                    < (other.line ?? 0, other.column ?? 0, right.offset)
            }
            return ordered.map(\.element)
        }
    }
}
