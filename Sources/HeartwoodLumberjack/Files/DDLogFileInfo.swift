import Heartwood

/// A log file: its name, size and times, which are read when you ask for them, and kept until ``reset()``.
open class DDLogFileInfo: NSObject {
    private let manager: FileManager
    private let calls = SystemCalls()

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    private struct State {
        var path: String
        /// What is known from a list of Heartwood's.
        var known: LogFileInfo?
        var attributes: Attributes?
        /// What the program has set and the file system has not kept, or a list has said of a finished file,
        /// which stays finished.
        var isArchived: Bool?
    }

    private struct Attributes: @unchecked Sendable {
        let values: [FileAttributeKey: Any]
    }

    /// Makes the information about the file at a path.
    public init(filePath: String, fileManager: FileManager) {
        manager = fileManager
        state = Locked(State(path: filePath.absolutePath()))
    }

    /// Makes the information about the file at a path.
    public convenience init(filePath: String) { self.init(filePath: filePath, fileManager: .default) }

    /// Describes a file of a list.
    convenience init(_ file: LogFileInfo) {
        self.init(filePath: file.path, fileManager: .default)
        state.withLock { $0 = State(path: file.path, known: file, isArchived: file.isArchived ? true : nil) }
    }

    /// The path.
    open var filePath: String { state.withLock { $0.path } }

    /// The name.
    open var fileName: String { (filePath as NSString).lastPathComponent }

    /// The attributes in the file system; empty if the file does not exist.
    open var fileAttributes: [FileAttributeKey: Any] {
        let path = filePath
        if let attributes = state.withLock({ $0.attributes }) { return attributes.values }
        let read = Attributes(values: (try? manager.attributesOfItem(atPath: path)) ?? [:])
        state.withLock { $0.attributes = read }
        return read.values
    }

    /// The time at which the file was created, from its name or the file system.
    open var creationDate: Date? {
        let (path, known) = state.withLock { ($0.path, $0.known) }
        let named = known?.createdAt ?? DDLogFileManagerDefault.usualNaming.label(of: fileName)?.createdAt
        return (named ?? LogFileInfo.creationTime(ofFileAt: path))?.date
            ?? fileAttributes[.creationDate] as? Date
    }

    /// The time at which the file was last written.
    open var modificationDate: Date? { fileAttributes[.modificationDate] as? Date }

    /// The size of the file in bytes.
    open var fileSize: UInt64 { (fileAttributes[.size] as? NSNumber)?.uint64Value ?? 0 }

    /// The number of seconds since the file was created.
    open var age: TimeInterval { creationDate.map { -$0.timeIntervalSinceNow } ?? 0 }

    /// Whether the file is a symbolic link; Heartwood never uses one as a log file.
    open var isSymlink: Bool { fileAttributes[.type] as? FileAttributeType == .typeSymbolicLink }

    /// Whether the file is finished, at the moment; nothing is ever added to it then.
    ///
    /// A finished file has no write permission.
    ///
    /// What you set is kept in an extended attribute of the file, so every object of the same path and later
    /// runs see it. Set to true, a logger that writes to the file finishes it, even without a line, and one
    /// that is added later does not continue it. Set to false, a finished file stays one that no logger
    /// continues. Where the file system has no such attributes, only this object knows what was set.
    open var isArchived: Bool {
        get {
            let (path, isArchived) = state.withLock { ($0.path, $0.isArchived) }
            if let mark = calls.attribute(DDLogFileInfo.archivedMark, ofFileAt: path) { return mark != [0] }
            return isArchived ?? FileAdapter.isFinished(path)
        }
        set {
            let path = filePath
            let mark: [UInt8]? = newValue ? [1] : FileAdapter.isFinished(path) ? [0] : nil
            let isKept = calls.setAttribute(DDLogFileInfo.archivedMark, mark, ofFileAt: path)
            state.withLock { $0.isArchived = isKept ? nil : newValue }
            if newValue { FileAdapter.finish(path) }
        }
    }

    /// The name that CocoaLumberjack has for it; Linux puts `user.` in front.
    private static let archivedMark = "lumberjack.log.archived"

    /// Discards the information that was read.
    open func reset() {
        state.withLock { state in
            state.attributes = nil
            state.known = nil
        }
    }

    /// Renames the file in its directory; does nothing if that fails, or if another file has the name.
    open func renameFile(to newFileName: String) {
        let old = filePath
        let new = ((old as NSString).deletingLastPathComponent as NSString).appendingPathComponent(
            newFileName)
        guard new != old, (try? manager.moveItem(atPath: old, toPath: new)) != nil else { return }
        state.withLock { $0.path = new }
        reset()
    }

    // MARK: Order

    /// Compares the times of creation; the newest file comes first.
    open func reverseCompare(byCreationDate another: DDLogFileInfo) -> ComparisonResult {
        DDLogFileInfo.order(another.creationDate, creationDate)
    }

    /// Compares the times of the last change; the newest file comes first.
    open func reverseCompare(byModificationDate another: DDLogFileInfo) -> ComparisonResult {
        DDLogFileInfo.order(another.modificationDate, modificationDate)
    }

    private static func order(_ left: Date?, _ right: Date?) -> ComparisonResult {
        (left ?? .distantPast).compare(right ?? .distantPast)
    }

    // MARK: Attributes

    /// Whether the file has an extended attribute.
    ///
    /// - Parameter attrName: The name; on Linux that of the attribute without `user.`, as no others can be
    ///   set.
    /// - Returns: Whether it is there; false for a link, and where there is no such file.
    public func hasExtendedAttribute(withName attrName: String) -> Bool {
        calls.attribute(attrName, ofFileAt: filePath) != nil
    }

    /// Adds an extended attribute without a value to the file; does nothing where the file system has none.
    public func addExtendedAttribute(withName attrName: String) {
        calls.setAttribute(attrName, [], ofFileAt: filePath)
    }

    /// Removes an extended attribute from the file.
    public func removeExtendedAttribute(withName attrName: String) {
        calls.setAttribute(attrName, nil, ofFileAt: filePath)
    }

    // MARK: As an object

    /// Whether two objects describe the file at the same path.
    open override func isEqual(_ object: Any?) -> Bool { (object as? DDLogFileInfo)?.filePath == filePath }

    /// The hash of the path.
    open override var hash: Int { filePath.hashValue }

    /// The path.
    open override var description: String { filePath }
}
