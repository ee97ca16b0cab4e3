import Heartwood
import HeartwoodHTTP

/// What `heartwood pipe` was asked to do.
struct PipeOptions {
    let inputs: [String]
    let directory: String?
    let acceptsSharedDirectory: Bool
    let remote: RemoteOptions?
    let spool: String?
    let showsOnConsole: Bool
    let form: LineTemplate.Form
    private(set) var zone: LogTimeZone
    /// Whether times are written at all.
    private(set) var showsTime = true
    let files: PipeFileOptions
    let content: PipeLineOptions
    /// The file that keeps what no file has yet, through the end of the process by any signal.
    let journal: String?
    let name: String?
    let levels: LogLevelMask
    let patterns: [LevelPattern]
    let defaultLevel: LogLevel
    let detectsLevels: Bool
    let lineLimit: ByteCount
    let isQuiet: Bool
    /// The directory whose files are shown in the browser.
    let viewedDirectory: String?

    private static let levelOfOthers = LogLevel.info
    private static let defaultLineLimit = ByteCount.kibibytes(256)
    private static let longestLineLimit = ByteCount.kibibytes(512)

    static let groups: [OptionGroup] = [
        OptionGroup(
            title: "Where lines go (at least one; the console when none is named)",
            options: [
                Option(
                    "--directory", "-d", value: "DIR",
                    help: "Writes files in DIR, which is created if it is missing."),
                Option("--http", value: "URL", help: "Posts the lines to URL, in batches."),
                Option("--console", help: "Shows the lines on standard output, in color on a terminal."),
            ]),
        OptionGroup(
            title: "Files",
            options: PipeFileOptions.limits + [
                Option(
                    "--journal", value: "FILE",
                    help: "Keeps lines in FILE until they are written: after a SIGKILL the next run with the "
                        + "same FILE writes them."),
                Option(
                    "--shared-directory",
                    help: "Accepts a DIR that other users may write to, who could then remove the files."),
                Option(
                    "--name", "-n", value: "NAME",
                    help: "What the files' names begin with, `\(RemoteOptions.defaultService)` by default, "
                        + "and the category of all lines."),
            ] + PipeFileOptions.options),
        OptionGroup(
            title: "HTTP",
            options: RemoteOptions.options + [
                Option(
                    "--spool", value: "DIR",
                    help: "Stores unsent lines in DIR, where they survive the end of the process, up to "
                        + "\(SpoolSettings().maximumBytes); the next run or `heartwood spool` sends them.")
            ]),
        OptionGroup(
            title: "How lines are written",
            options: [
                Option("--json", help: "Writes a JSON object per line: time, level, message and more."),
                Option("--raw", help: "Writes the bytes of each line as they are, without time and level."),
                Option(
                    "--timestamps", value: "KIND",
                    help: "Writes times in UTC (utc, the default), in the system's zone (local), or not at "
                        + "all (none)."),
                Option("--local-time", help: "The same as --timestamps local."),
                Option(
                    "--max-line", value: "SIZE",
                    help: "Cuts longer lines into pieces; \(defaultLineLimit) by default, "
                        + "\(longestLineLimit) at most. See below."),
            ] + PipeLineOptions.options),
        OptionGroup(
            title: "Levels",
            options: [
                Option("--level", value: "LEVEL", help: "Leaves out lines that are less severe than LEVEL."),
                Option(
                    "--level-pattern", value: "LEVEL=PATTERN", isRepeatable: true,
                    help: "Lines in which the regular expression PATTERN (as for `heartwood grep`; `(?i)` in "
                        + "front ignores case) is found get LEVEL. May be given several times: the first "
                        + "that matches counts."),
                Option(
                    "--default-level", value: "LEVEL",
                    help: "The level of lines without a level; \(levelOfOthers) by default."),
                Option(
                    "--no-detection",
                    help: "Does not detect levels in the lines, except by --level-pattern."),
            ]),
        OptionGroup(
            title: "Other",
            options: [
                Option("--quiet", "-q", help: "Shows neither progress nor the summary; errors are shown."),
                Option(
                    "--view",
                    help: "Shows the files of --directory in the browser while they are written, as "
                        + "`heartwood view` does."),
            ]),
    ]

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` if they are not valid.
    init(_ arguments: Arguments) throws {
        inputs = arguments.operands
        directory = arguments.value("--directory")
        acceptsSharedDirectory = arguments.has("--shared-directory")
        if directory?.isEmpty == true {
            throw UsageError("--directory must not be empty")
        }
        remote = try RemoteOptions(arguments, server: "--http")
        spool = arguments.value("--spool")
        if spool != nil, remote == nil {
            throw UsageError("--spool requires --http URL")
        }
        showsOnConsole = arguments.has("--console") || (directory == nil && remote == nil)
        if arguments.has("--json"), arguments.has("--raw") {
            throw UsageError("--json and --raw cannot be combined")
        }
        form = arguments.has("--json") ? .json : arguments.has("--raw") ? .raw : .line
        zone = arguments.has("--local-time") ? .local : .utc
        let kinds: KeyValuePairs = [
            "utc": (zone: LogTimeZone.utc, isShown: true), "local": (.local, true), "none": (.utc, false),
        ]
        if let kind = try arguments.choice("--timestamps", kinds) {
            if arguments.has("--local-time"), kind.zone != .local {
                throw UsageError("--local-time can be combined with --timestamps local only")
            }
            (zone, showsTime) = kind
        }
        files = try PipeFileOptions(arguments, zone)
        content = try PipeLineOptions(arguments)
        journal = arguments.value("--journal")
        if journal != nil, directory == nil { throw UsageError("--journal requires --directory DIR") }

        name = arguments.value("--name")
        if name?.isEmpty == true { throw UsageError("--name must not be empty") }

        levels = try arguments.level("--level").map { LogLevelMask(atLeast: $0) } ?? .all
        patterns = try arguments.values("--level-pattern").map { try LevelPattern(parsing: $0) }
        defaultLevel = try arguments.level("--default-level") ?? Self.levelOfOthers
        detectsLevels = !arguments.has("--no-detection")

        lineLimit = try arguments.byteCount("--max-line") ?? Self.defaultLineLimit
        guard (16...Self.longestLineLimit.bytes).contains(lineLimit.bytes) else {
            throw UsageError("--max-line must be from 16 to \(Self.longestLineLimit) (got \(lineLimit))")
        }
        isQuiet = arguments.has("--quiet")
        viewedDirectory = arguments.has("--view") ? directory : nil
        if arguments.has("--view"), directory == nil { throw UsageError("--view requires --directory DIR") }
    }

    /// What puts lines together, where that is wanted.
    var joiner: RecordJoiner? {
        content.join.map { RecordJoiner($0, limit: lineLimit.bytes, patience: content.patience) }
    }
}
