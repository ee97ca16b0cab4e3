import Heartwood
import Synchronization

/// The names that a manager gives, as Heartwood's naming: which remembers what it cannot read out of a name.
///
/// 1. A name that the usual naming reads keeps the date that is in it.
/// 2. Any other file is numbered by the moment at which it was created, so that the order survives the process.
/// 3. A name that is taken gets a number before its extension.
///
/// The number of a new file is a second ahead of the clock: the file system's time of creation, which the next run goes
/// by, is then never beyond what was noted of a finished file.
final class ManagerNaming: LogFileNaming, @unchecked Sendable {  // managers guard themselves
    private let directory: String
    private let newName: () -> String
    private let isLogFile: (String) -> Bool

    // MARK: Guarded by 'known'
    private let known = Mutex(Known())

    private struct Known {
        var labels: [String: LogFileLabel] = [:]
        var names: [LogFileLabel: String] = [:]

        mutating func set(_ label: LogFileLabel, for name: String) {
            if let old = labels.updateValue(label, forKey: name), old != label { names[old] = nil }
            names[label] = name
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
        } else {
            let unused = Mutex<String?>(nil)
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
        if label.begun != nil, super.label(of: base) != nil { return super.name(for: label) }
        let isTaken = isThere(base)
        guard let begun = label.begun else {
            // A name that nothing has, whatever it was meant for before.
            var (name, number) = (base, 2)
            while isThere(name), number < 100_000 {
                name = ManagerNaming.numbered(base, number)
                number += 1
            }
            known.withLock { $0.set(label, for: name) }
            return name
        }
        // By the clock: the file has the label that the next run will find, unless it is there already.
        let name = label.number > 1 ? ManagerNaming.numbered(base, label.number) : base
        known.withLock { known in
            if isTaken, label.number == 1, known.labels[name] != nil { return }
            known.set(ManagerNaming.label(begun, ahead: 10_000 + label.number - 1), for: name)
        }
        return name
    }

    /// Whether there is a file of a name, or its archive.
    private func isThere(_ name: String) -> Bool {
        ["", ".gz", ".hwe"].contains { FileManager.default.fileExists(atPath: "\(directory)/\(name)\($0)") }
    }

    override func label(of name: String) -> LogFileLabel? {
        if let label = known.withLock({ $0.labels[name] }) { return label }
        guard isLogFile(name) else { return nil }
        if let label = super.label(of: name) {
            known.withLock { $0.set(label, for: name) }
            return label
        }
        let moment =
            LogFileInfo.creationTime(ofFileAt: directory + "/" + name) ?? LogTimestamp(nanoseconds: 0)
        return known.withLock { known in
            var label = ManagerNaming.label(moment, ahead: 0)
            while known.names[label] != nil { label.number += 1 }
            known.set(label, for: name)
            return label
        }
    }

    /// The label of a moment: tenths of milliseconds since 2001, and some more.
    private static func label(_ moment: LogTimestamp, ahead: Int) -> LogFileLabel {
        let reference = 978_307_200_000_000_000
        return LogFileLabel(
            begun: nil, number: max(1, (Int(moment.nanoseconds) - reference) / 100_000 + ahead))
    }

    /// The name with a number before its extension.
    private static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = ((name as NSString).deletingPathExtension, (name as NSString).pathExtension)
        return ending.isEmpty ? "\(stem) \(number)" : "\(stem) \(number).\(ending)"
    }

    /// The name of a file that a manager has created; the file itself makes room for the logger's, where it is empty.
    private static func nameOfNewFile(_ manager: any DDLogFileManager) -> String {
        guard let path = try? manager.createNewLogFile() else {
            return DDLogFileManagerDefault.usualNaming.name(for: LogFileLabel(begun: LogTimestamp(Date())))
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        if size == 0 { try? FileManager.default.removeItem(atPath: path) }
        return (path as NSString).lastPathComponent
    }
}
