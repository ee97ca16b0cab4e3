import Heartwood

/// The source location of a setting.
public struct LogSettingLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, the environment variable's name, or `code`.
    public let source: String
    /// The line, from 1; nil if it is not known.
    public let line: Int?
    /// The character in the line, from 1; nil if it is not known.
    public let column: Int?

    /// Makes a location.
    ///
    /// - Parameters:
    ///   - source: The path of the file, or the name of the environment variable.
    ///   - line: The line, from 1; nil if it is not known.
    ///   - column: The character in the line, from 1; nil if it is not known.
    public init(_ source: String, line: Int? = nil, column: Int? = nil) {
        self.source = source
        self.line = line
        self.column = column
    }

    /// The location of settings that the program itself makes.
    public static let code = LogSettingLocation("code")

    /// The location in the form that compilers use: `logging.json:3:5`.
    public var description: String {
        source + (line.map { ":\($0)" } ?? "") + (column.map { ":\($0)" } ?? "")
    }
}
