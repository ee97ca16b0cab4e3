import CHeartwood
import Heartwood

extension LogConfiguration {
    /// The largest file that is read.
    static let sizeLimit = 1 << 20

    /// What is read from where: everything that ``load(_:environment:defaults:variables:)`` is told.
    struct Sources: Sendable {
        var path: String
        var overlay: String?
        var defaults: LogConfiguration
        var variables: [String: String]
        let workingDirectory = String.workingDirectory

        init(
            _ path: String, environment: String?, defaults: LogConfiguration, variables: [String: String]
        ) throws(LogConfigurationError) {
            let explicit = variables[LogConfiguration.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
            self.path = explicit ?? path
            self.defaults = defaults
            self.variables = variables
            let named = variables[LogConfiguration.environmentVariable].flatMap { $0.isEmpty ? nil : $0 }
            guard let environment = environment ?? named else { return }
            let isName = environment.utf8.allSatisfy {
                $0.isAlphanumeric || $0 == .hyphen || $0 == .underscore
            }
            guard isName, !environment.isEmpty else {
                throw LogConfigurationError(
                    LogSettingLocation(LogConfiguration.environmentVariable),
                    "“\(environment)” is not a valid environment name; use letters, digits, “-” and “_”")
            }
            overlay = LogConfiguration.overlayPath(self.path, environment)
        }

        /// The contents of both files; nil without a file.
        func read() throws(LogConfigurationError) -> (main: [UInt8]?, overlay: [UInt8]?) {
            func contents(_ path: String) throws(LogConfigurationError) -> [UInt8]? {
                try LogConfiguration.contents(path, in: workingDirectory)
            }
            return (try contents(path), try overlay.flatMap(contents))
        }

        /// A file that a variable names must be there.
        func checkPresence(_ main: [UInt8]?) throws(LogConfigurationError) {
            guard main == nil, path == variables[LogConfiguration.fileVariable] else { return }
            throw LogConfigurationError(
                LogSettingLocation(LogConfiguration.fileVariable), "no such file: “\(path)”")
        }

        /// The configuration that files of these contents make.
        func configuration(
            _ contents: (main: [UInt8]?, overlay: [UInt8]?)
        ) throws(LogConfigurationError) -> LogConfiguration {
            var problems: [LogConfigurationError.Problem] = []
            var result = defaults
            result.workingDirectory = workingDirectory
            for (bytes, path) in [(contents.main, path), (contents.overlay, overlay ?? "")] {
                guard let bytes else { continue }
                do throws(LogConfigurationError) {
                    result.merge(try LogConfiguration(bytes: bytes, name: path))
                } catch {
                    problems += error.problems
                }
            }
            do throws(LogConfigurationError) {
                result.merge(try .environment(variables))
            } catch {
                problems += error.problems
            }
            if !problems.isEmpty { throw LogConfigurationError(problems) }
            return result
        }
    }

    /// Loads a configuration from a file, the overlay file of the environment, and environment variables.
    ///
    /// A missing file counts as empty, except for a file that `HEARTWOOD_CONFIGURATION` names. With the
    /// environment `dev`, `logging.dev.json` is merged into `logging.json`, key by key. Without an
    /// environment, as in a release, only the first file is read. Environment variables take precedence over
    /// both files.
    ///
    /// - Parameters:
    ///   - path: The file, JSON or a property list, whatever its name; `HEARTWOOD_CONFIGURATION` names
    ///     another one.
    ///   - environment: The environment; what `HEARTWOOD_ENVIRONMENT` says unless given.
    ///   - defaults: What holds where nothing says otherwise.
    ///   - variables: The environment variables; those of the process unless given. With an empty table none
    ///     counts.
    /// - Returns: The merged configuration. Apply it, or change it first.
    /// - Throws: ``LogConfigurationError`` with the problems of every file that cannot be read or parsed.
    public static func load(
        _ path: String, environment: String? = nil, defaults: LogConfiguration = LogConfiguration(),
        variables: [String: String]? = nil
    ) throws(LogConfigurationError) -> LogConfiguration {
        let sources = try Sources(
            path, environment: environment, defaults: defaults, variables: variables ?? ProcessEnvironment.all
        )
        let contents = try sources.read()
        try sources.checkPresence(contents.main)
        return try sources.configuration(contents)
    }

    /// Parses a configuration from JSON or a property list.
    ///
    /// - Parameters:
    ///   - text: The content of a file.
    ///   - name: What errors call it.
    /// - Throws: ``LogConfigurationError`` with the location of the text that cannot be parsed.
    public init(parsing text: String, name: String = "settings") throws(LogConfigurationError) {
        try self.init(bytes: Array(text.utf8), name: name)
    }

    /// Reads the bytes of a file.
    init(bytes: [UInt8], name: String) throws(LogConfigurationError) {
        let setting = try DetachedThread.onLargeStack {
            Result { () throws(LogConfigurationError) in
                PropertyListReader.recognizes(bytes)
                    ? try PropertyListReader.read(bytes, source: name)
                    : try JSONSettingReader.read(bytes, source: name)
            }
        }.get()
        guard setting.members != nil else {
            throw LogConfigurationError(setting.place, "expected an object, found \(setting.shown)")
        }
        settings = setting
    }

    /// `logging.dev.json` for `logging.json` and `dev`; with another separator that one in the place of the
    /// first point.
    package static func overlayPath(_ path: String, _ environment: String, separator: String = ".") -> String
    {
        let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[nameStart...].lastIndex(of: "."), dot > nameStart else {
            return path + separator + environment
        }
        return path[..<dot] + separator + environment + path[dot...]
    }

    /// The content of a file; nil where it, or its directory, is missing.
    static func contents(
        _ path: String, in workingDirectory: String? = nil
    ) throws(LogConfigurationError) -> [UInt8]? {
        let calls = SystemCalls()
        let place = LogSettingLocation(path)
        do throws(SystemFailure) {
            let descriptor = try calls.openForReading(path.absolutePath(in: workingDirectory))
            defer { calls.close(descriptor) }
            if let contents = try calls.contents(of: descriptor, limit: sizeLimit) { return contents }
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw LogConfigurationError(
                place, "cannot read the file: \(SystemFailure.reason(of: error.number))")
        }
        throw LogConfigurationError(place, "the file is larger than 1 MiB; check that it is the right file")
    }
}
