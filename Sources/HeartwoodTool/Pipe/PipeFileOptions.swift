import Heartwood
import HeartwoodArchive

/// How `heartwood pipe` keeps its files.
struct PipeFileOptions {
    /// The settings of the file logger; their naming is made when the name is known.
    private(set) var settings = FileSettings()
    private(set) var fixedName: String?
    var key: (any SecretProvider)? { settings.archiveKey }

    /// How much waits in memory while a disk takes nothing.
    static let waitingLimit = ByteCount.mebibytes(16)

    /// When files are finished and removed.
    static let limits = {
        let (standard, text) = (FileSettings(), Option.text)
        return [
            Option(
                "--max-size", value: "SIZE",
                help: "Starts a new file before this size is exceeded: 64KiB, 1GB; none: never. "
                    + "\(text(standard.maximumFileSize)) by default."),
            Option(
                "--max-age", value: "TIME",
                help: "Starts a new file when the current one reaches this age: 30s, 15m, 7d; none: never. "
                    + "\(text(standard.rollingInterval)) by default, or none with --roll-at."),
            Option(
                "--keep", value: "COUNT",
                help: "Keeps the newest COUNT files, the current one included; none: all. "
                    + "\(text(standard.maximumFileCount)) by default, or all with --quota or --keep-for."),
            Option(
                "--quota", value: "SIZE",
                help: "Keeps all files together below this size; \(text(standard.diskQuota)) by default."),
            Option(
                "--keep-for", value: "TIME",
                help: "Removes files whose last line is older than TIME; "
                    + "\(text(standard.maximumFileAge)) by default."),
        ]
    }()

    static let options = [
        Option(
            "--roll-at", value: "WHEN",
            help: "Starts a new file at each full hour, at midnight, or at midnight before Monday: hour, "
                + "day, week. In UTC, or in the system's zone with --timestamps local."),
        Option(
            "--current-link", value: "NAME",
            help: "Keeps a symbolic link NAME in DIR that points to the current file, for `tail -F`."),
        Option(
            "--fixed-name", value: "NAME",
            help: "Calls the current file NAME; it gets its usual name when it is finished."),
        Option(
            "--mode", value: "MODE",
            help: "The permissions of new files, in octal: \(FileSettings().fileMode) by default, 0640 for a "
                + "group that may read. Users who can read the files can also open a DIR that is created."),
        Option("--gzip-files", help: "Compresses files when they are finished."),
        Option(
            "--encrypt",
            help: "Compresses and encrypts files from the first line on; needs --key-file or --key-env. "
                + "`heartwood cat` and `decrypt` read them."),
        Option(
            "--key-file", value: "FILE",
            help: "The key for --encrypt is in FILE: 32 bytes, or 64 hexadecimal digits. No other user may "
                + "read a file of yours."),
        Option(
            "--key-env", value: "NAME", help: "The key for --encrypt is in the environment variable NAME."),
    ]

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - zone: The zone of the times in lines.
    /// - Throws: ``UsageError`` if they are not valid.
    init(_ arguments: Arguments, _ zone: LogTimeZone) throws {
        if arguments.value("--directory") == nil {
            for option in Self.limits + Self.options where arguments.has(option.names[0]) {
                throw UsageError("\(option.names[0]) is about files: add --directory DIR")
            }
        }
        // `--max-line` has cut what is too long, and lost nothing of it.
        settings.maximumMessageSize = nil
        settings.waitingLimit = PipeFileOptions.waitingLimit
        try readLimits(arguments, zone)
        settings.currentLink = arguments.value("--current-link")
        fixedName = arguments.value("--fixed-name")
        for (option, name) in [("--current-link", settings.currentLink), ("--fixed-name", fixedName)] {
            guard let name, !Directory.isSafe(name) else { continue }
            throw UsageError("\(option) expects the name of a file, without a directory (got “\(name)”)")
        }
        if let fixedName, settings.currentLink == fixedName {
            throw UsageError(
                "--current-link and --fixed-name need different names (got “\(fixedName)” twice)")
        }
        if let text = arguments.value("--mode") {
            guard let mode = UInt16(text, radix: 8), mode & 0o600 == 0o600, mode <= 0o666, mode & 0o111 == 0
            else {
                throw UsageError(
                    "--mode expects permissions in octal that let the owner read and write, such as 0640 "
                        + "(got “\(text)”)")
            }
            settings.fileMode = FileMode(mode)
        }
        try readArchives(arguments)
    }

    private mutating func readLimits(_ arguments: Arguments, _ zone: LogTimeZone) throws {
        let boundaries: KeyValuePairs = ["hour": LogCalendarBoundary.hour, "day": .day, "week": .week]
        if let boundary = try arguments.choice("--roll-at", boundaries) {
            (settings.rollingBoundary, settings.zone) = (boundary, zone)
            // A boundary takes the place of an age, unless both are given.
            settings.rollingInterval = nil
        }
        settings.maximumFileSize = try arguments.limit(
            "--max-size", standard: settings.maximumFileSize, arguments.byteCount)
        settings.rollingInterval = try arguments.limit(
            "--max-age", standard: settings.rollingInterval, arguments.duration)
        settings.diskQuota = try arguments.limit("--quota", standard: settings.diskQuota, arguments.byteCount)
        settings.maximumFileAge = try arguments.limit(
            "--keep-for", standard: settings.maximumFileAge, arguments.duration)
        // Another limit takes the place of the number, unless both are given.
        if settings.diskQuota.limit != nil || settings.maximumFileAge.limit != nil {
            settings.maximumFileCount = nil
        }
        settings.maximumFileCount = try arguments.limit(
            "--keep", standard: settings.maximumFileCount
        ) { try arguments.integer($0) }
    }

    private mutating func readArchives(_ arguments: Arguments) throws {
        let isCompressed = arguments.has("--gzip-files")
        let key = try LogSelection.key(arguments)
        if arguments.has("--encrypt"), key == nil {
            throw UsageError("--encrypt needs a key: add --key-file FILE or --key-env NAME")
        }
        if key != nil, !arguments.has("--encrypt") {
            throw UsageError("a key is given but not used: add --encrypt")
        }
        if key != nil, isCompressed {
            throw UsageError("--encrypt compresses already: leave out --gzip-files")
        }
        if key != nil, fixedName != nil || settings.currentLink != nil {
            throw UsageError(
                "--encrypt leaves nothing for `tail -F` to read: leave out --fixed-name and --current-link")
        }
        settings.archiveKey = key
        settings.archiveFormat = key != nil ? .encrypted : isCompressed ? .gzip : .plain
    }

    /// Whether finished files become archives.
    var makesArchives: Bool { settings.archiveFormat != .plain }

    /// The permissions of a new directory: searched by whoever may read the files.
    var directoryMode: FileMode {
        let mode = settings.fileMode.bits
        return FileMode(0o700 | (mode & 0o040 != 0 ? 0o050 : 0) | (mode & 0o004 != 0 ? 0o005 : 0))
    }
}
