/// Decides which files of a directory belong to a logger, how a new one is labeled and created, and in which
/// order old ones are removed: what CocoaLumberjack calls a log file manager.
///
/// With the base class, which ``FileLogger`` uses unless given another, each file whose name the
/// ``FileSettings/naming`` can read belongs to it, and the oldest are removed first. Give closures for what
/// you need, or override the methods of the same names:
///
/// ```swift
/// // Keeps the files of errors longer than the others.
/// let errorsLast = LogFilePolicy(removalOrder: { files in
///     files.filter { !$0.name.contains("errors") } + files.filter { $0.name.contains("errors") }
/// })
/// let file = try FileLogger(directory: "/var/log/shop", settings: FileSettings(filePolicy: errorsLast))
/// ```
///
/// A policy cannot widen what a logger may do. Whatever it answers, a logger touches only regular files of
/// its user that the naming can read and that no one else has locked, and its limits hold: files that an
/// order leaves out are removed after the others. A label or name that cannot be used is replaced by the
/// usual one and reported to the dispatcher's diagnostics.
///
/// All methods are called on the logger's queue, and must not log to the same logger and wait for it.
open class LogFilePolicy: @unchecked Sendable {  // open; the base class has constants only
    // Set by initializers only.
    private final var ownsFile: (@Sendable (String, LogFileLabel) -> Bool)?
    private final var removal: (@Sendable ([LogFileInfo]) -> [LogFileInfo])?

    /// Whether nothing was overridden or given, so that it need not be asked.
    final var isStandard: Bool {
        type(of: self) == LogFilePolicy.self && ownsFile == nil && removal == nil
    }

    /// Makes the base of a subclass; without one, a policy that changes nothing.
    public init() {}

    /// Makes a policy from closures.
    ///
    /// - Parameters:
    ///   - owns: See ``owns(_:label:)``.
    ///   - removalOrder: See ``removalOrder(_:)``.
    public convenience init(
        owns: (@Sendable (_ name: String, _ label: LogFileLabel) -> Bool)? = nil,
        removalOrder: (@Sendable (_ files: [LogFileInfo]) -> [LogFileInfo])? = nil
    ) {
        self.init()
        (ownsFile, removal) = (owns, removalOrder)
    }

    /// Whether a file belongs to the logger; true.
    ///
    /// Asked for each name that the naming can read. `name` is without the ending of an archive (`.gz`,
    /// `.hwe`). A file that does not belong is not counted, continued, archived or removed.
    open func owns(_ name: String, label: LogFileLabel) -> Bool {
        ownsFile?(name, label) ?? true
    }

    /// The label of a new file; by default the time, or the next number where names have no date.
    ///
    /// Must be after `newest`, the label of the newest file so far. `moment` is the time by the wall clock.
    /// The logger's naming writes the label as a name; where that is taken, the number counts up.
    open func label(
        at moment: LogTimestamp, after newest: LogFileLabel?, naming: LogFileNaming
    ) -> LogFileLabel {
        naming.next(at: moment, after: newest, process: nil)
    }

    /// The permissions of a new file; by default `usual`, which is ``FileSettings/fileMode``.
    open func permissions(of name: String, usual: FileMode) -> FileMode { usual }

    /// Called when a file was created and is still empty, for attributes of your own; does nothing.
    ///
    /// The file is open and locked by the logger: do not write to it, rename it or remove it.
    open func didCreate(_ path: String) {}

    /// The order in which files are removed when a limit is exceeded; by default as given, the oldest first.
    ///
    /// Only as many are removed, from the front, as the limits ask for; files in use are passed over.
    open func removalOrder(_ files: [LogFileInfo]) -> [LogFileInfo] { removal?(files) ?? files }
}
