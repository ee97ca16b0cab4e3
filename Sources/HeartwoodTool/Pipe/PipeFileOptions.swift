import Heartwood
import HeartwoodArchive

/// How `heartwood pipe` keeps its files, beside their size, age and number.
struct PipeFileOptions {
    private(set) var boundary: LogCalendarBoundary?
    private(set) var currentLink: String?
    private(set) var fixedName: String?
    private(set) var mode: UInt16 = 0o600
    private(set) var isCompressed = false
    private(set) var key: (any SecretProvider)?

    static let options = [
        Option(
            "--roll-at", value: "WHEN",
            help:
                "Starts a new file at each full hour, at midnight, or at "
                + "midnight before Monday: hour, day, week. "
                + "In UTC, or in the system's zone with --timestamps local."),
        Option(
            "--current-link", value: "NAME",
            help: "Keeps a symbolic link NAME in DIR that points to the current file, for `tail -F`."),
        Option(
            "--fixed-name", value: "NAME",
            help: "Calls the current file NAME; it gets its usual name when it is finished."),
        Option(
            "--mode", value: "MODE",
            help:
                "The permissions of new files, in octal: 0600 by default, 0640 for a group that "
                + "may read. A new DIR may "
                + "be searched by whoever may read its files."),
        Option("--gzip-files", help: "Compresses files when they are finished."),
        Option(
            "--encrypt",
            help: "Compresses and encrypts files from the first line on; needs --key-file or --key-env. "
                + "`heartwood cat` and `decrypt` read them."),
        Option(
            "--key-file", value: "FILE",
            help:
                "The key for --encrypt is in FILE: 32 bytes, or 64 "
                + "hexadecimal digits. No other user may read a file of yours."
        ),
        Option(
            "--key-env", value: "NAME", help: "The key for --encrypt is in the environment variable NAME."),
    ]

    /// Reads the options.
    ///
    /// - Throws: ``UsageError`` if they are not valid.
    init(_ arguments: Arguments) throws {
        if arguments.value("--directory") == nil {
            for option in Self.options where arguments.has(option.names[0]) {
                throw UsageError("\(option.names[0]) is about files: add --directory DIR")
            }
        }
        if let name = arguments.value("--roll-at") {
            let names = ["hour", "day", "week"]
            guard names.contains(name), let boundary = LogCalendarBoundary(rawValue: name) else {
                throw UsageError("--roll-at expects hour, day or week (got “\(name)”)")
            }
            self.boundary = boundary
        }
        currentLink = arguments.value("--current-link")
        fixedName = arguments.value("--fixed-name")
        if let text = arguments.value("--mode") {
            guard let mode = UInt16(text, radix: 8), mode & 0o600 == 0o600, mode <= 0o666, mode & 0o111 == 0
            else {
                throw UsageError(
                    "--mode expects permissions in octal that let the owner "
                        + "read and write, such as 0640 (got “\(text)”)"
                )
            }
            self.mode = mode
        }
        isCompressed = arguments.has("--gzip-files")
        key = try LogSelection.key(arguments)
        if arguments.has("--encrypt"), key == nil {
            throw UsageError("--encrypt needs a key: add --key-file FILE or --key-env NAME")
        }
        if key != nil, !arguments.has("--encrypt") {
            throw UsageError("a key is given but not used: add --encrypt")
        }
        if key != nil, isCompressed {
            throw UsageError("--encrypt compresses already: leave out --gzip-files")
        }
        if key != nil, fixedName != nil || currentLink != nil {
            throw UsageError(
                "--encrypt leaves nothing for `tail -F` to read: leave out --fixed-name and --current-link")
        }
    }

    /// Whether finished files become archives.
    var makesArchives: Bool { isCompressed || key != nil }

    /// The permissions of a new directory: searched by whoever may read the files.
    var directoryMode: UInt16 { 0o700 | (mode & 0o040 != 0 ? 0o050 : 0) | (mode & 0o004 != 0 ? 0o005 : 0) }

    /// Sets a file logger up.
    func apply(to file: FileLogger, _ zone: LogTimeZone) {
        file.fileMode = mode
        file.currentLink = currentLink
        if let boundary { (file.rollingBoundary, file.zone) = (boundary, zone) }
        if let key {
            file.archiveKey = key
            file.archiveFormat = .encrypted
        } else if isCompressed {
            file.archiveFormat = .gzip
        }
    }
}
