import Heartwood

/// All problems of a configuration; none of its settings were applied.
///
///     logging.json:3:5: unknown setting “levle”: did you mean “level”?
///     logging.dev.json:7:24: loggers.file.maximumFileSize: “10 QB” is not a valid size; use 64 KiB, …
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
