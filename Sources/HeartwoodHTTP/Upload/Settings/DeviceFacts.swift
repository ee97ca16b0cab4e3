/// Which facts about the machine and program go along; each can be left out.
public struct DeviceFacts: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Takes bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `os` and `osVersion`.
    public static let system = DeviceFacts(rawValue: 1)
    /// `hostName` and `deviceName`.
    public static let host = DeviceFacts(rawValue: 2)
    /// `deviceModel`: the machine's kind.
    public static let model = DeviceFacts(rawValue: 4)
    /// `appVersion`, `appBuild`, `firstAppVersion` and `firstAppBuild`, where they were set; on Apple's
    /// systems the bundle's, unless set.
    ///
    /// The first ones are those of the first start that knew them.
    public static let app = DeviceFacts(rawValue: 8)
    /// `firstStart`, `lastStart` and `starts`; they need a spool on disk to last.
    public static let starts = DeviceFacts(rawValue: 16)
    /// `uuid`: a random id of this installation; it needs a spool on disk to last.
    public static let identity = DeviceFacts(rawValue: 32)
    /// `userName`, where it was set in this run or, with a spool on disk, an earlier one.
    public static let user = DeviceFacts(rawValue: 64)

    /// All but ``host`` and ``identity``, which say who sends: these go along only where the program says so.
    public static let standard: DeviceFacts = [.system, .model, .app, .starts, .user]

    /// All of them.
    public static let all: DeviceFacts = [.system, .host, .model, .app, .starts, .identity, .user]
}
