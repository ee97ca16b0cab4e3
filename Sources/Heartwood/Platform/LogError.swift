/// An error of a setup call: what is wrong, where, and what to do.
public struct LogError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error; newer versions can add kinds.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code from its name; use it to add custom codes.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file or directory could not be created, opened, read or written.
        public static let file = Code(rawValue: "file")
        /// A setting has a value that is not valid.
        public static let setting = Code(rawValue: "setting")
        /// A location is unsafe: another user of the machine could tamper with it.
        public static let unsafe = Code(rawValue: "unsafe")
        /// Another process or logger uses the location.
        public static let inUse = Code(rawValue: "inUse")
        /// Data on the disk is damaged, or was not written by Heartwood.
        public static let damaged = Code(rawValue: "damaged")
        /// A secret is missing or not valid.
        public static let secret = Code(rawValue: "secret")
        /// A request could not be sent, or its response is not valid.
        public static let network = Code(rawValue: "network")
    }

    /// The kind of error.
    public let code: Code
    /// What happened and what to do, for a person.
    public let message: String
    /// The path or URL that the error is about.
    public let place: String?
    /// The system's `errno`, where there was one.
    public let cause: Int32?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: What is wrong and what to do, for a person.
    ///   - place: The path or URL that the error is about, if any.
    ///   - cause: The system's `errno`, if a system call failed.
    public init(_ code: Code, _ message: String, place: String? = nil, cause: Int32? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.cause = cause
    }

    /// The message, with the location and the system's reason.
    public var description: String {
        var text = message
        if let place { text += " [\(place)]" }
        if let cause { text += " (\(SystemFailure.reason(of: cause)))" }
        return text
    }
}
