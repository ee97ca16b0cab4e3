/// Describes where a message was logged: the label of the queue, or the name or number of the thread.
///
/// Labels of the system's global queues and the names that the kernel gives to their threads say nothing, and are
/// skipped.
public struct ThreadLabel: Sendable {
    /// The least length: a shorter label is padded with spaces; 0 unless changed.
    public var minimumLength = 0
    /// The greatest length: a longer label is cut; nil, the default, cuts nothing.
    public var maximumLength: Int?
    /// Replacements of labels and names; `com.apple.main-thread` becomes `main` unless changed.
    ///
    /// A replacement is filled up and cut like any label.
    public var replacements = ["com.apple.main-thread": "main"]

    /// Makes a label format.
    public init(minimumLength: Int = 0, maximumLength: Int? = nil) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
    }
}
