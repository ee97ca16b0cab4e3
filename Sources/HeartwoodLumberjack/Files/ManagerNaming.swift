import Heartwood

/// The names that a manager gives, as Heartwood's naming: which remembers what it cannot read out of a name.
///
/// 1. A name that the usual naming reads keeps the date that is in it.
/// 2. Any other file is numbered by the moment at which it was created, so that the order survives the
///    process.
/// 3. A name that is taken gets a number before its extension, greater than those that are there.
/// 4. A file is the manager's if `isLogFile` says so, of its name or of the one without the number; or if
///    that is the name that the manager gives to new files, which `isLogFile` should know, but often does
///    not.
///
/// The number of a new file is a second ahead of the clock: the file system's time of creation, which the
/// next run goes by, is then never beyond what was noted of a finished file.
final class ManagerNaming: LogFileNaming, @unchecked Sendable {  // managers guard themselves
    private let directory: String
    private let newName: () -> String
    private let isLogFile: (String) -> Bool
    /// The name that a new file would have; nil where to ask creates one.
    private let newNameToCompare: (() -> String)?

    // MARK: Guarded by 'known'
    private let known = Locked(Known())

    private struct Known {
        /// The name that a new file had when it was first needed to compare with.
        var fixedName: String?
        /// Is told, once, of a name that the manager gives and does not know.
        var onUnknown: (@Sendable (String) -> Void)?
        var labels: [String: LogFileLabel] = [:]
        var names: [LogFileLabel: String] = [:]

        /// Notes what a name says; a label that another file has counts up, unless it was asked for.
        mutating func set(_ label: LogFileLabel, for name: String, isExact: Bool) -> LogFileLabel {
            var label = label
            while !isExact, let other = names[label], other != name { label.number += 1 }
            if let old = labels.updateValue(label, forKey: name), old != label { names[old] = nil }
            names[label] = name
            return label
        }
    }

    /// The naming of a manager: the usual one itself where the manager overrides nothing.
    static func naming(for manager: any DDLogFileManager) -> LogFileNaming {
        if type(of: manager) == DDLogFileManagerDefault.self { return DDLogFileManagerDefault.usualNaming }
        return ManagerNaming(manager)
    }

    private init(_ manager: any DDLogFileManager) {
        let path = manager.logsDirectory
        directory = path
        if let manager = manager as? DDLogFileManagerDefault {
            newName = { manager.newLogFileName }
            isLogFile = { manager.isLogFile(withName: $0) }
            newNameToCompare = { manager.newLogFileName }
        } else {
            newNameToCompare = nil
            let unused = Locked<String?>(nil)
            newName = {
                // A name that no file was made for yet is still good.
                if let name = unused.withLock({ $0 }),
                    !FileManager.default.fileExists(atPath: path + "/" + name)
                {
                    return name
                }
                let name = ManagerNaming.nameOfNewFile(manager)
                unused.withLock { $0 = name }
                return name
            }
            isLogFile = { manager.unsortedLogFileNames.contains($0) }
        }
        super.init(application: DDLogFileManagerDefault.usualNaming.application)
    }

    override func name(for label: LogFileLabel) -> String {
        if let name = known.withLock({ $0.names[label] }) { return name }
        let base = newName()
        if newNameToCompare != nil { checkName(base) }
        if label.createdAt != nil, super.label(of: base) != nil { return super.name(for: label) }
        // A name that is asked for with a number differs from the one without: only what looks for that asks
        // so.
        let free = freeName(base)
        let name =
            label.createdAt != nil && label.number > 1 ? ManagerNaming.numbered(free, label.number) : free
        // Asked for by the clock, a file has the label that the next run will find.
        let own = label.createdAt.map { ManagerNaming.label($0 + .seconds(1), name) } ?? label
        _ = known.withLock { $0.set(own, for: name, isExact: label.createdAt == nil) }
        return name
    }

    /// The name itself where no file has it, and none with a number; otherwise with the number after the
    /// greatest.
    private func freeName(_ base: String) -> String {
        let stem = (base as NSString).deletingPathExtension + " "
        let numbers = known.withLock { $0.labels.keys.filter { $0.hasPrefix(stem) } }.compactMap { name in
            Int((name as NSString).deletingPathExtension.dropFirst(stem.count)).flatMap { number in
                ManagerNaming.numbered(base, number) == name && isThere(name) ? number : nil
            }
        }
        if numbers.isEmpty {
            removeLink(base)
            if !isThere(base) { return base }
        }
        var number = (numbers.max() ?? 1) + 1
        while isThere(ManagerNaming.numbered(base, number)), number < .max { number += 1 }
        return ManagerNaming.numbered(base, number)
    }

    /// Removes what has the name of a new file and is a symbolic link of this user; never what it leads to.
    private func removeLink(_ name: String) {
        let path = directory + "/" + name
        guard let link = try? FileManager.default.attributesOfItem(atPath: path),
            link[.type] as? FileAttributeType == .typeSymbolicLink,
            (link[.ownerAccountID] as? NSNumber)?.uint32Value == SystemCalls().user
        else { return }
        unlink(path)
    }

    /// Whether there is a file of a name, or its archive.
    private func isThere(_ name: String) -> Bool {
        // A link that leads nowhere as well.
        ["", ".gz", ".hwe"].contains { (try? SystemCalls().status(path: "\(directory)/\(name)\($0)")) != nil }
    }

    /// Whether a file belongs to the manager.
    private func owns(_ name: String) -> Bool {
        if isLogFile(name) { return true }
        let base = ManagerNaming.unnumbered(name)
        if let base, isLogFile(base) { return true }
        guard let fixed = fixedName else { return false }
        return name == fixed || base == fixed
    }

    /// The name of a new file, which is that of the earlier ones where it is always the same; asked for once,
    /// as to ask may change it.
    private var fixedName: String? {
        if let name = known.withLock({ $0.fixedName }) { return name }
        guard let name = newNameToCompare?() else { return nil }
        known.withLock { $0.fixedName = name }
        return name
    }

    /// Has `body` told once of a name that the manager gives to a file and does not know.
    func onUnknownName(_ body: @escaping @Sendable (String) -> Void) {
        known.withLock { $0.onUnknown = body }
    }

    private func checkName(_ name: String) {
        guard known.withLock({ $0.onUnknown != nil }), !isLogFile(name) else { return }
        let body = known.withLock { known in
            defer { known.onUnknown = nil }
            return known.onUnknown
        }
        body?(name)
    }

    override func label(of name: String) -> LogFileLabel? {
        if let label = known.withLock({ $0.labels[name] }) { return label }
        guard owns(name) else { return nil }
        if let label = super.label(of: name) {
            return known.withLock { $0.set(label, for: name, isExact: true) }
        }
        let moment =
            LogFileInfo.creationTime(ofFileAt: directory + "/" + name) ?? LogTimestamp(nanoseconds: 0)
        return known.withLock { $0.set(ManagerNaming.label(moment, name), for: name, isExact: false) }
    }

    /// The label of a file that was created at a moment, since 2001 in steps of four milliseconds, as kernels
    /// count; the number in a name tells files of one step apart.
    private static func label(_ moment: LogTimestamp, _ name: String) -> LogFileLabel {
        let step = Int(moment.nanoseconds / 4_000_000) - 978_307_200_000 / 4
        let stem = (name as NSString).deletingPathExtension
        let number = stem.split(separator: " ").last.flatMap { Int($0) } ?? 1
        return LogFileLabel(createdAt: nil, number: max(0, step) * 1000 + min(max(1, number), 999))
    }

    /// The name with a number before its extension.
    private static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = ((name as NSString).deletingPathExtension, (name as NSString).pathExtension)
        return ending.isEmpty ? "\(stem) \(number)" : "\(stem) \(number).\(ending)"
    }

    /// The name without the number that ``numbered(_:_:)`` puts there; nil for one that has none.
    private static func unnumbered(_ name: String) -> String? {
        let (stem, ending) = ((name as NSString).deletingPathExtension, (name as NSString).pathExtension)
        guard let space = stem.lastIndex(of: " "), let number = Int(stem[stem.index(after: space)...]),
            number > 1
        else { return nil }
        let base = ending.isEmpty ? String(stem[..<space]) : "\(stem[..<space]).\(ending)"
        return numbered(base, number) == name ? base : nil
    }

    /// The name of a file that a manager has created; the file itself makes room for the logger's, where it
    /// is empty.
    private static func nameOfNewFile(_ manager: any DDLogFileManager) -> String {
        guard let path = try? manager.createNewLogFile() else {
            return DDLogFileManagerDefault.usualNaming.name(
                for: LogFileLabel(createdAt: LogTimestamp(Date())))
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        if size == 0 { try? FileManager.default.removeItem(atPath: path) }
        return (path as NSString).lastPathComponent
    }
}
