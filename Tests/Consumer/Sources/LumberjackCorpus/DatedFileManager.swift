import HeartwoodLumberjack

/// Files named by day and session, kept for some days, and pruned by the app itself.
class DatedFileManager: DDLogFileManagerDefault {
    private let prefix: String
    private let session: String
    let daysToKeep: Int
    private(set) var pruned: [String] = []

    init(directory: URL, prefix: String, session: String, daysToKeep: Int = 7) {
        self.prefix = prefix
        self.session = session
        self.daysToKeep = daysToKeep
        super.init(logsDirectory: directory.path)
        maximumNumberOfLogFiles = 0
        logFilesDiskQuota = 0
    }

    private var day: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter.string(from: Date())
    }

    override var newLogFileName: String {
        get { return "\(prefix)_\(day)_\(session).log" }
    }

    override func isLogFile(withName fileName: String) -> Bool {
        let hasProperPrefix = fileName.hasPrefix(prefix + "_")
        let hasProperSuffix = fileName.hasSuffix(".log")
        return hasProperPrefix && hasProperSuffix
    }

    override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        super.didArchiveLogFile(atPath: logFilePath, wasRolled: wasRolled)
        prune()
    }

    /// Removes what is older than the days to keep, and all but the newest ten.
    func prune() {
        let limit = Date(timeIntervalSinceNow: -Double(daysToKeep) * 24 * 60 * 60)
        for (index, info) in sortedLogFileInfos.enumerated() where info.isArchived {
            guard let date = info.modificationDate, date < limit || index >= 10 else { continue }
            do {
                try FileManager.default.removeItem(atPath: info.filePath)
                pruned.append(info.fileName)
            } catch {
                DDLogWarn("could not remove \(info.fileName): \(error)")
            }
        }
    }
}
