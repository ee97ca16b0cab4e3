import Heartwood

/// What was found wrong so far, while a configuration is read.
final class ProblemCollector {
    /// Where relative paths of the configuration are.
    let workingDirectory: String?
    private(set) var problems: [LogConfigurationError.Problem] = []

    init(workingDirectory: String? = nil) { self.workingDirectory = workingDirectory }

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
