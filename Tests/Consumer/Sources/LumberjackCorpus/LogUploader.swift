import HeartwoodLumberjack

protocol LogTransport: AnyObject {
    func send(_ data: Data, name: String, completion: @escaping (Bool) -> Void)
}

/// Sends each archived file, removes it when it has arrived, and sends what earlier runs have left.
class LogUploader: DDLogFileManagerDefault {
    private let queue = DispatchQueue(label: "com.example.uploader")
    private let transport: LogTransport
    private(set) var failures = 0
    var onIdle: (() -> Void)?
    private weak var fileLogger: DDFileLogger?

    init(directory: String, transport: LogTransport) {
        self.transport = transport
        super.init(logsDirectory: directory)
    }

    override func didAdd(to fileLogger: DDFileLogger) {
        self.fileLogger = fileLogger
    }

    override func didArchiveLogFile(atPath logFilePath: String, wasRolled: Bool) {
        DDLogInfo("archived \((logFilePath as NSString).lastPathComponent), rolled: \(wasRolled)")
        queue.async { [weak self] in self?.upload(logFilePath) }
    }

    /// At the start of the app.
    func uploadLeftovers() {
        queue.async { [weak self] in
            guard let self = self else { return }
            for info in self.sortedLogFileInfos.reversed() where info.isArchived {
                self.upload(info.filePath)
            }
        }
    }

    /// When the app is about to leave the foreground.
    func rollAndUpload() {
        fileLogger?.rollLogFile(withCompletion: { [weak self] in
            guard let self = self else { return }
            self.queue.async { self.onIdle?() }
        })
    }

    private func upload(_ path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return }
        let name = (path as NSString).lastPathComponent
        transport.send(data, name: name) { [weak self] success in
            if success {
                try? FileManager.default.removeItem(atPath: path)
            } else {
                self?.failures += 1
                DDLogWarn("upload of \(name) failed, it is tried again at the next start")
            }
        }
    }
}
