import HeartwoodLumberjack

/// A file logger with a buffer, small files and a package of them for a mail to the support.
final class BufferedRolling {
    let fileLogger: DDFileLogger
    private let lock = NSLock()
    private var rolls = 0

    init(directory: String, maximumFileSize: UInt64 = 1024 * 64, keep: UInt = 4) {
        let manager = DDLogFileManagerDefault(logsDirectory: directory)
        manager.maximumNumberOfLogFiles = keep
        manager.logFilesDiskQuota = maximumFileSize * UInt64(keep)
        fileLogger = DDFileLogger(logFileManager: manager)
        fileLogger.maximumFileSize = maximumFileSize
        fileLogger.rollingFrequency = TimeInterval(60 * 60 * 12)
        fileLogger.doNotReuseLogFiles = false
    }

    func start() {
        DDLog.add(fileLogger.wrapWithBuffer(), with: .verbose)
    }

    func stop() {
        DDLog.flushLog()
        DDLog.remove(fileLogger)
    }

    func roll(completion: (() -> Void)? = nil) {
        fileLogger.rollLogFile { [weak self] in
            self?.lock.lock()
            self?.rolls += 1
            self?.lock.unlock()
            completion?()
        }
    }

    var rollCount: Int {
        lock.lock()
        defer { lock.unlock() }
        return rolls
    }

    /// The newest files, the oldest of them first, as one text.
    func package(maximumSize: Int) -> Data {
        DDLog.flushLog()
        var files: [Data] = []
        var size = 0
        for info in fileLogger.logFileManager.sortedLogFileInfos {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: info.filePath)) else { continue }
            if size + data.count > maximumSize { break }
            size += data.count
            files.insert(data, at: 0)
        }
        return files.reduce(Data(), +)
    }

    var currentFileName: String? {
        return fileLogger.currentLogFileInfo?.fileName
    }

    func trim(to seconds: TimeInterval, size: UInt64) {
        fileLogger.rollingFrequency = seconds
        fileLogger.maximumFileSize = size
    }
}
