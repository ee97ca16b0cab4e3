import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodConfiguration
import HeartwoodReading

// The code of Docs/FileLogging.md, word for word; `SampleTests` compares them.

func fileUse() throws {
    // sample: Docs/FileLogging.md
    let file = try FileLogger(directory: "/var/log/shop")
    LogDispatcher.shared.add(file, levels: .info)
    logInfo("shop is open")
    LogDispatcher.shared.flush()
    // end
}

func fileDays(_ file: FileLogger) {
    // sample: Docs/FileLogging.md
    file.rollingBoundary = .day
    file.rollingInterval = nil
    file.maximumFileSize = nil
    file.maximumFileCount = 31
    file.archiveFormat = .gzip
    // end
}

func fileQuota(_ file: FileLogger) {
    // sample: Docs/FileLogging.md
    file.diskQuota = .mebibytes(500)
    file.maximumFileSize = .mebibytes(50)
    file.maximumFileCount = nil
    // end
}

func fileFixedName() throws -> FileLogger {
    // sample: Docs/FileLogging.md
    let file = try FileLogger(
        directory: "/var/log/shop",
        settings: FileSettings(naming: try LogFileNaming(application: "shop", activeName: "shop.log")))
    // end
    return file
}

func filePowerCut(_ file: FileLogger) {
    // sample: Docs/FileLogging.md
    file.syncPolicy = .levels(.error)
    // end
}

func fileNames(_ file: FileLogger) throws {
    // sample: Docs/FileLogging.md
    file.naming = try LogFileNaming(
        application: "shop", template: "{app}-{date:yyyy-MM-dd}.log",
        zone: LogTimeZone("Europe/Paris") ?? .utc)
    // end
}

func fileOwnNames() -> LogFileNaming {
    // sample: Docs/FileLogging.md
    let naming = LogFileNaming(
        writing: { label in "trace-\(String(label.number, radix: 16)).log" },
        reading: { name in
            guard name.hasPrefix("trace-"), name.hasSuffix(".log") else { return nil }
            return Int(name.dropFirst(6).dropLast(4), radix: 16)
                .map { LogFileLabel(createdAt: nil, number: $0) }
        })
    // end
    return naming
}

func fileReading(yesterday: LogTimestamp, today: LogTimestamp) async throws {
    // sample: Docs/FileLogging.md
    let reader = LogFileReader(directory: "/var/log/shop")
    for try await line in try reader.lines(from: yesterday) where line.level == .error { print(line.text) }
    try await reader.export(to: "/tmp/yesterday.log", from: yesterday, until: today)
    // end
}

func fileEncryption(_ file: FileLogger) {
    // sample: Docs/FileLogging.md
    file.archiveKey = FileSecrets(directory: "/etc/shop/keys")
    file.archiveFormat = .encrypted
    // end
}

func fileFlush() async {
    // sample: Docs/FileLogging.md
    let result = await LogDispatcher.shared.flush()
    if !result.isComplete { print("not written yet: \(result.unfinished)") }
    // end
}

func fileScheme() throws -> FileLogger {
    // sample: Docs/FileLogging.md
    let errorsLast = LogFilePolicy(removalOrder: { files in
        files.filter { !$0.name.contains("errors") } + files.filter { $0.name.contains("errors") }
    })
    let file = try FileLogger(directory: "/var/log/shop", settings: FileSettings(filePolicy: errorsLast))
    // end
    return file
}

private func archiveCatalogSample() throws {
    // sample: Sources/HeartwoodArchive/HeartwoodArchive.docc/HeartwoodArchive.md
    let file = try FileLogger(directory: "/var/log/shop")
    file.archiveKey = FileSecrets(directory: "/etc/shop/keys")
    file.archiveFormat = .encrypted
    LogDispatcher.shared.add(file)
    // end
}

private func archiveRegistrationSample() throws {
    // sample: Sources/HeartwoodArchive/LogArchives.swift
    LogArchives.register()
    try LogConfiguration.load("/etc/shop/logging.json").apply()
    // end
}

private func journalKeySample() {
    // sample: Sources/HeartwoodArchive/LogJournal+Key.swift
    let keys = FileSecrets(directory: "/etc/shop/keys")
    LogDispatcher.shared.journal = .file("/var/lib/shop/journal", key: keys)
    // end
}
