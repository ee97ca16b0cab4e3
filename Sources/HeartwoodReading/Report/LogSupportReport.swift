import CHeartwood
public import Heartwood

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An archive with everything that support asks for, which `LogDispatcher.makeSupportReport` has
/// written.
public struct LogSupportReport: Sendable {
    /// What goes into a report.
    public struct Options: Sendable {
        /// Finds secrets, which are replaced in every line and in the other texts;
        /// `RedactionRules.standard` unless changed, nil for none.
        ///
        /// Values that the logs redact already are not in it in any case.
        public var redaction: RedactionRules? = .standard
        /// The first moment of the lines; nil, the default, for the beginning.
        public var from: LogTimestamp?
        /// How many bytes of log lines there may be, before compression; 50 MiB unless changed.
        ///
        /// The newest files come first.
        public var maximumSize = ByteCount.mebibytes(50)
        /// Further texts by the names of their files, such as the version of the program, or
        /// `["configuration.json": configuration.json]`; none by default.
        public var attachments: [String: String] = [:]

        /// Makes options that have their defaults.
        public init() {}
    }

    /// The path of the archive: `NAME-report-DATE.tar`, or `.tar.gz` where the program uses HeartwoodArchive.
    public let path: String
    /// The bytes that it takes.
    public let size: ByteCount
    /// The names of the files in it.
    public let contents: [String]
    /// What is not in it, and why; empty if everything is.
    public let omissions: [String]
}

extension LogDispatcher {
    /// Writes an archive for support: the log files of all file loggers, statistics, settings and the state
    /// of the journal.
    ///
    /// ```swift
    /// let report = try LogDispatcher.shared.makeSupportReport(in: temporaryDirectory)
    /// share(report.path)
    /// ```
    ///
    /// It flushes first. Lines of compressed files are in it as plain text, redacted as the options say. An
    /// encrypted file is in it as it is, and needs its key. Everything is read and written on the caller's
    /// thread, with memory for about twice the largest file: not for the main thread of an app.
    ///
    /// - Parameters:
    ///   - directory: Where the archive is written, with permissions 0600; made if it is missing.
    ///   - options: What goes into it.
    /// - Returns: The archive.
    /// - Throws: `LogError` if the archive cannot be written; no file is left then. A log file that cannot be
    ///   read is named in ``LogSupportReport/omissions`` instead.
    public func makeSupportReport(
        in directory: String, _ options: LogSupportReport.Options = .init()
    ) throws -> LogSupportReport {
        var writer = try SupportReportWriter(directory, options, clock.now())
        do {
            let flushed = flush(timeout: .seconds(10))
            for logger in loggers { (logger as? FileLogger).map { writer.add($0) } }
            for (name, text) in options.attachments.sorted(by: { $0.key < $1.key }) {
                try writer.add(name, text)
            }
            try writer.add("report.txt", summary(flushed, writer))
            return try writer.finish()
        } catch {
            writer.discard()
            guard let failure = error as? SystemFailure else { throw error }
            throw LogError(
                .file, "Cannot write the support report", place: writer.path, cause: failure.number)
        }
    }

    /// The state of everything, for a person.
    private func summary(_ flushed: FlushResult, _ writer: SupportReportWriter) -> String {
        var lines = [
            "program: \(ProcessFacts.name) (process \(ProcessFacts.identifier))",
            "time: \(text(of: clock.now()))",
            "host: \(ProcessFacts.host)", "system: \(ProcessInfo.processInfo.operatingSystemVersionString)",
            "levels: \(levels)", "synchronous levels: \(synchronousLevels)",
        ]
        switch journalStatus {
        case .off: lines.append("journal: off")
        case .active(let path): lines.append("journal: active, \(path)")
        case .unavailable(let error): lines.append("journal: unavailable: \(error)")
        }
        for path in flushed.journals {
            lines.append("journal of a dead process that was not delivered: \(path)")
        }
        lines.append(
            "flush: "
                + (flushed.isComplete
                    ? "complete" : "unfinished: \(flushed.unfinished.joined(separator: ", "))"))
        lines.append("")
        for rule in LogCategory.levelRules { lines.append("levels of \(rule.pattern): \(rule.levels)") }
        func shown(_ value: Any?) -> String { SettingValue.text(of: value) ?? "" }
        for logger in loggers {
            lines.append("logger \(logger.name): \(type(of: logger)), levels \(logger.levels)")
            guard let file = logger as? FileLogger else { continue }
            lines.append("  directory: \(file.directoryPath)")
            lines.append(
                "  maximum file size \(shown(file.maximumFileSize)), files \(shown(file.maximumFileCount)), "
                    + "quota \(shown(file.diskQuota)), rolling interval \(shown(file.rollingInterval))")
        }
        lines.append("")
        lines.append(statistics.prometheusText)
        for (kind, count) in diagnostics.totals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("problems, \(kind.rawValue): \(count)")
        }
        lines.append("")
        lines.append(writer.redaction)
        for omission in writer.omissions { lines.append("not in this report: \(omission)") }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A moment in UTC: `2026-11-20T10:20:30.123Z`.
private func text(of moment: LogTimestamp) -> String {
    var buffer = LogBuffer()
    buffer.append(iso8601: moment)
    return buffer.text
}

/// Writes an archive: redacts, compresses where it can, and notes what is missing.
private struct SupportReportWriter {
    private let options: LogSupportReport.Options
    private let moment: LogTimestamp
    private let target: Directory
    private let file: Descriptor
    private let name: String
    private let library: (any ArchiveLibrary)?
    private var contents: [String] = []
    private(set) var omissions: [String] = []
    /// How many secrets were replaced, by the names of their rules.
    private var counts: [String: Int] = [:]
    /// The folders of loggers.
    private var folders: Set<String> = []
    /// The bytes of log lines that there may still be.
    private var room: Int
    private var size = 0

    init(_ directory: String, _ options: LogSupportReport.Options, _ moment: LogTimestamp) throws {
        self.options = options
        self.moment = moment
        room = options.maximumSize.bytes
        library = try? ArchiveLibraries.registered(for: "Compression")
        target = try Directory(directory, policy: .init(acceptsShared: true))
        let date = String(text(of: moment).prefix(19).map { $0 == ":" ? "-" : $0 })
        let base = "\(ProcessFacts.name)-report-\(date)"
        let ending = library == nil ? ".tar" : ".tar.gz"
        var number = 1
        while true {
            let name = (number == 1 ? base : "\(base)-\(number)") + ending
            do throws(SystemFailure) {
                file = try target.create(name)
                self.name = name
                return
            } catch {
                number += 1
                if error.isError(EEXIST), number < 1000 { continue }
                throw LogError(
                    .file, "Cannot create the support report", place: target.path + "/" + name,
                    cause: error.number)
            }
        }
    }

    var path: String { target.path + "/" + name }

    /// What was replaced in the lines and the attachments.
    var redaction: String {
        if options.redaction == nil { return "redaction: none" }
        let counts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "redaction: " + (counts.isEmpty ? "no secrets were found" : counts.joined(separator: ", "))
    }

    /// Adds the files of a logger, the newest first, as far as there is room.
    mutating func add(_ logger: FileLogger) {
        let files: [LogFileInfo]
        do {
            files = try logger.logFiles()
        } catch {
            return omissions.append("\(logger.name): \(error)")
        }
        // Loggers may have the same name; each has a folder of its own.
        var folder = logger.name
        var number = 2
        while !folders.insert(folder).inserted {
            folder = "\(logger.name)-\(number)"
            number += 1
        }
        for info in files {
            if let from = options.from, info.modified < from, !info.isActive { continue }
            guard room > 0 else {
                omissions.append("\(info.name): more than \(options.maximumSize) of lines")
                continue
            }
            do {
                let (content, isEncrypted) = try content(of: info)
                guard content.count <= room else {
                    omissions.append("\(info.name): more than \(options.maximumSize) of lines")
                    continue
                }
                room -= content.count
                let plain = isEncrypted ? info.name : SupportReportWriter.plainName(info.name)
                try append("logs/\(folder)/\(plain)", content, info.modified)
            } catch {
                omissions.append("\(info.name): \(error)")
            }
        }
    }

    private static func plainName(_ name: String) -> String {
        name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    }

    private mutating func content(of info: LogFileInfo) throws -> (bytes: [UInt8], isEncrypted: Bool) {
        if info.isEncrypted {
            guard info.size.bytes <= room else { return ([UInt8](repeating: 0, count: room + 1), true) }
            return (Array(try Data(contentsOf: URL(fileURLWithPath: info.path))), true)
        }
        var redactor = options.redaction.map { LineRedactor($0) }
        var output = LogBuffer()
        let lines = LogLineIterator([info.path], from: options.from)
        while let next = try lines.next() {
            for line in next {
                if redactor == nil { output.append(line.text) }
                redactor?.append(line.text, to: &output)
                output.append(UInt8(ascii: "\n"))
            }
            if output.count > room { break }
        }
        count(redactor)
        return (output.withUnsafeBytes { Array($0) }, false)
    }

    private mutating func count(_ redactor: LineRedactor?) {
        counts.merge(redactor?.counts ?? [:]) { $0 + $1 }
    }

    /// Adds a text.
    mutating func add(_ name: String, _ text: String) throws {
        guard var redactor = options.redaction.map({ LineRedactor($0) }) else {
            return try append(name, Array(text.utf8), moment)
        }
        var output = LogBuffer()
        redactor.append(text, to: &output)
        count(redactor)
        try append(name, output.withUnsafeBytes { Array($0) }, moment)
    }

    private mutating func append(_ name: String, _ content: [UInt8], _ modified: LogTimestamp) throws {
        let seconds = Int(modified.nanoseconds / 1_000_000_000)
        try write(TapeArchive.entry(name, content, modified: seconds))
        contents.append(name)
    }

    private mutating func write(_ bytes: [UInt8]) throws {
        let output = try library?.compress(bytes) ?? bytes
        try target.calls.writeAll(file.number, output)
        size += output.count
    }

    /// Ends the archive.
    mutating func finish() throws -> LogSupportReport {
        try write(TapeArchive.end)
        return LogSupportReport(path: path, size: ByteCount(size), contents: contents, omissions: omissions)
    }

    /// Removes what was written.
    func discard() { _ = try? target.remove(name) }
}

/// The bytes of a tar archive (POSIX ustar), file after file.
///
/// Names longer than 100 bytes are cut at their beginning, so that what tells files apart stays.
struct TapeArchive {
    /// The header of a file, and its content up to a multiple of 512 bytes.
    ///
    /// - Parameters:
    ///   - name: The path in the archive.
    ///   - content: The content; less than 8 GiB.
    ///   - seconds: The time of the last change, in seconds since 1970.
    /// - Returns: the bytes.
    static func entry(_ name: String, _ content: [UInt8], modified seconds: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in text.enumerated() { header[offset + index] = byte }
        }
        func octal(_ value: Int, digits: Int) -> [UInt8] {
            let text = String(max(0, value), radix: 8)
            return Array(
                (String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8.suffix(digits))
        }
        put(name.utf8.suffix(100), at: 0)
        put(octal(0o600, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(content.count, digits: 11), at: 124)
        put(octal(seconds, digits: 11), at: 136)
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        header[156] = UInt8(ascii: "0")
        put("ustar\u{0}00".utf8, at: 257)
        // The sum is made with its own field full of spaces.
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + [0, UInt8(ascii: " ")], at: 148)
        let padding = (512 - content.count % 512) % 512
        return header + content + [UInt8](repeating: 0, count: padding)
    }

    /// What ends an archive.
    static let end = [UInt8](repeating: 0, count: 1024)
}
