/// What happened to log files, told by the engine to the logger.
enum FileEvent: Sendable {
    /// A file was finished, and the next line goes to another one.
    case rolled(name: String)
    /// A file that an earlier run left was found finished.
    case foundFinished(name: String)
    /// A file was removed by the retention limits.
    case removed(name: String)
    /// The file was removed, renamed or replaced by another program.
    case disturbed(name: String, FileWriter.Place)
    /// A torn last line was cut off.
    case repaired(name: String, bytes: Int)
    /// A call failed; lines wait, or a file could not be removed or renamed.
    case failed(SystemFailure, name: String?, waiting: Int)
    /// There is no key to encrypt with; lines wait.
    case locked(reason: String)
    /// Something in the directory was refused.
    case refused(LogDirectory.Refusal, name: String)
    /// A file of the directory cannot be opened, locked, replaced or removed; logging continues without it.
    case unusable(SystemFailure, name: String)
    /// Lines were dropped; the total since the last time that all was well.
    case dropped(records: Int, SystemFailure?)
    /// Writing goes on after a failure.
    case resumed(dropped: Int)
    /// Something that a person should know about the settings.
    case advice(String)
}
