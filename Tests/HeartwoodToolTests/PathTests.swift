import CoreFixtures
import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodLumberjack
import HeartwoodReading
import HeartwoodSQLite
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// A parameter or property that takes a path, and what is done with it: before and after the program goes to another directory.
private struct PathParameter: Sendable {
    /// The file of its declaration without the ending, and its name there.
    let name: String
    /// Gives the relative path `x`, calls the closure, which changes the directory, and uses what it has made; returns the path
    /// that was used, or throws where that is another one.
    let drive: @Sendable (_ goAway: () -> Void) throws -> String

    init(_ name: String, _ drive: @escaping @Sendable (_ goAway: () -> Void) throws -> String) {
        self.name = name
        self.drive = drive
    }

    /// Logs a message, and waits until it is written.
    private static func use(_ logger: AbstractLogger) {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { report in Issue.record("\(report.text)") }
        dispatcher.add(logger)
        logInfo("a message", to: dispatcher)
        dispatcher.flush(timeout: .seconds(60))
        (logger as? FileLogger)?.rollNow()
        logInfo("another message", to: dispatcher)
        dispatcher.removeAll()
    }

    private static func secret(_ name: String) throws {
        try Data("secret".utf8).write(to: URL(filePath: name))
        chmod(name, 0o600)
    }

    private static func journal(_ journal: LogJournal) throws -> String {
        let dispatcher = LogDispatcher(journal: journal)
        guard case .active(let path) = dispatcher.journalStatus else { throw CocoaError(.fileNoSuchFile) }
        return String(path.prefix { $0 != "." }).split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }

    static let all: [PathParameter] = logging + reading + remote + settings + lumberjack

    /// The parameter of a logger, which is made before the program goes away, and used afterwards.
    private static func logger<Logger: AbstractLogger>(
        _ name: String, _ path: @escaping @Sendable (Logger) -> String,
        _ make: @escaping @Sendable () throws -> Logger
    ) -> PathParameter {
        PathParameter(name) { goAway in
            let logger = try make()
            goAway()
            use(logger)
            return path(logger)
        }
    }

    private static let logging = [
        logger("FileLogger directory: String", { $0.directoryPath }) { try FileLogger(directory: "x") },
        logger("FileLogger directory: URL", { $0.directoryPath }) {
            try FileLogger(directory: URL(filePath: "x"))
        },
        logger("SQLiteLogger path: String", { $0.path }) { try SQLiteLogger(path: "x") },
        PathParameter("LogJournal _ directory: String") { goAway in
            let place = LogJournal.file("x")
            goAway()
            return try journal(place)
        },
        PathParameter("LogJournal+Key _ directory: String") { goAway in
            try Data(repeating: 7, count: 32).write(to: URL(filePath: "key"))
            chmod("key", 0o600)
            let place = LogJournal.file("x", key: SecretReference(FileSecrets(), name: "key"))
            goAway()
            return try journal(place)
        },
        PathParameter("SystemLogger+Destination socket: String") { goAway in
            let logger = SystemLogger(.local(socket: "x"))
            let other = SystemLogger()
            other.destination = .journal(socket: "x")
            goAway()
            guard case .local(let socket, _, _) = logger.destination,
                case .journal(socket) = other.destination
            else { return "another" }
            return socket
        },
    ]

    private static let reading = [
        PathParameter("LogFileReader directory: String") { goAway in
            use(try FileLogger(directory: "x"))
            let reader = LogFileReader(directory: "x")
            goAway()
            #expect(try reader.lastLines(10).count == 2)
            return reader.directory
        },
        PathParameter("LogFileReader to path: String") { goAway in
            use(try FileLogger(directory: "logs"))
            let reader = LogFileReader(directory: "logs")
            let done = DispatchSemaphore(value: 0)
            Task {
                _ = try? await reader.export(to: "x")
                done.signal()
            }
            done.wait()
            let path = FileManager.default.currentDirectoryPath + "/x"
            goAway()
            return path
        },
        PathParameter("LogSupportReport in directory: String") { goAway in
            let report = try LogDispatcher().makeSupportReport(in: "x")
            goAway()
            return URL(filePath: report.path).deletingLastPathComponent().path
        },
        PathParameter("SQLiteLogReader path: String") { goAway in
            use(try SQLiteLogger(path: "x"))
            let reader = try SQLiteLogReader(path: "x")
            goAway()
            #expect(try reader.count() == 2)
            return reader.path
        },
    ]

    private static let remote = [
        PathParameter("HTTPLogger spool directory: String?") { goAway in
            let logger = try HTTPLogger("http://127.0.0.1:1/", spool: "x")
            let path = FileManager.default.currentDirectoryPath + "/x"
            goAway()
            logger.flushWait = .zero
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(logger)
            logInfo("a message", to: dispatcher)
            dispatcher.removeAll()
            #expect(try UnsentMessages(directory: path).count == 1)
            return path
        },
        PathParameter("UnsentMessages directory: String") { goAway in
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(try HTTPLogger("http://127.0.0.1:1/", spool: "x"))
            logInfo("a message", to: dispatcher)
            dispatcher.removeAll()
            let path = FileManager.default.currentDirectoryPath + "/x"
            let unsent = try UnsentMessages(directory: "x")
            goAway()
            #expect(unsent.count == 1)
            unsent.removeAll()
            return path
        },
        PathParameter("EventStore directory: String") { goAway in
            let path = FileManager.default.currentDirectoryPath + "/x"
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            let store = try EventStore("http://127.0.0.1:1/", directory: "x", dispatcher: dispatcher)
            store.partitionSize = .kibibytes(4)
            goAway()
            let log = try AuditLog(store)
            for _ in 0..<20 { log.recordEvent(activity: "a", data: String(repeating: "x", count: 1000)) }
            store.flush(timeout: .seconds(60))
            return path
        },
        PathParameter("TransportOptions caCertificateFile: String?") { goAway in
            var options = TransportOptions(
                caCertificateFile: "x", clientCertificateFile: "x", clientKeyFile: "x")
            let first = options
            options.caCertificateFile = "x"
            goAway()
            #expect(options == first)
            return options.caCertificateFile ?? ""
        },
        PathParameter("TransportOptions clientCertificateFile: String?") { goAway in
            var options = TransportOptions()
            options.clientCertificateFile = "x"
            goAway()
            return options.clientCertificateFile ?? ""
        },
        PathParameter("TransportOptions clientKeyFile: String?") { goAway in
            var options = TransportOptions()
            options.clientKeyFile = "x"
            goAway()
            return options.clientKeyFile ?? ""
        },
    ]

    private static let settings = [
        PathParameter("FileSecrets directory: String") { goAway in
            try FileManager.default.createDirectory(atPath: "x", withIntermediateDirectories: false)
            try secret("x/token")
            let path = FileManager.default.currentDirectoryPath + "/x"
            let (named, here) = (FileSecrets(directory: "x"), FileSecrets())
            goAway()
            #expect(try named.secret(named: "token") == here.key(named: "x/token"))
            return path
        },
        PathParameter("LogConfiguration+Loading _ path: String") { goAway in
            try Data(#"{"loggers": {"f": {"kind": "file", "directory": "x"}}}"#.utf8)
                .write(to: URL(filePath: "logging.json"))
            let configuration = try LogConfiguration.load("logging.json", variables: [:])
            goAway()
            let dispatcher = LogDispatcher()
            try configuration.apply(to: dispatcher)
            logInfo("a message", to: dispatcher)
            defer { dispatcher.removeAll() }
            return (dispatcher.configuredLogger(named: "f") as? FileLogger)?.directoryPath ?? ""
        },
        PathParameter("LogConfiguration+Girders _ path: String") { goAway in
            try Data(#"{"logLevel": 2}"#.utf8).write(to: URL(filePath: "x"))
            let path = FileManager.default.currentDirectoryPath + "/x"
            #expect(try LogConfiguration.girders("x") == ["level": "info"])
            return path
        },
        PathParameter("LogConfigurationWatch _ path: String") { goAway in
            let settings = #"{"loggers": {"first": {"kind": "file", "directory": "logs"}}}"#
            try Data(settings.utf8).write(to: URL(filePath: "x"))
            let path = FileManager.default.currentDirectoryPath
            let dispatcher = LogDispatcher()
            let watch = try LogConfigurationWatch("x", variables: [:], dispatcher: dispatcher)
            goAway()
            try Data(settings.replacing("first", with: "second").utf8).write(to: URL(filePath: path + "/x"))
            try watch.reload()
            let second = dispatcher.configuredLogger(named: "second") as? FileLogger
            #expect(second?.directoryPath == path + "/logs")
            dispatcher.removeAll()
            return watch.path
        },
    ]

    private static let lumberjack = [
        PathParameter("DDLogFileInfo filePath: String") { goAway in
            try secret("x")
            let info = DDLogFileInfo(filePath: "x")
            goAway()
            #expect(info.fileSize == 6)
            return info.filePath
        },
        PathParameter("DDLogFileManagerDefault logsDirectory: String?") { goAway in
            let manager = DDLogFileManagerDefault(logsDirectory: "x")
            goAway()
            return manager.logsDirectory
        },
    ]

    /// What has such a name and takes no path of a file: call sites, names within a directory, paths of URLs, and what is handed
    /// to a program's own code.
    static let others: Set<String> = [
        "LogDispatcher+Acceptance file: String", "LogCalls+Place file: String",
        "LogMessage+Framework file: String", "LogLine file: String", "DDLogMessage file: String",
        "HeartwoodLogHandler file: String", "DDLogFileInfo to newFileName: String",
        "DDLogFileManagerDefault withName fileName: String", "HTTPEndpoint path: String",
        "LogFilePolicy _ path: String", "DDLogFileManager _ logFilePath: String",
        "DDLogFileManager atPath logFilePath: String", "DDLogFileManagerDefault _ logFilePath: String",
        "DDLogFileManagerDefault atPath logFilePath: String", "LogJournal path: String",
    ]

    /// All parameters of the sources' public declarations whose names say that they take a path.
    static func declared() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(FileManager.default.subpaths(atPath: root.path))
        var found: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            if ["HeartwoodTool/", "HeartwoodSystem/", "HeartwoodServer/", "HeartwoodTestSupport/"].contains(
                where: file.hasPrefix)
            {
                continue
            }
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
                .replacing(/\/\/[^\n]*/, with: "")
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            let heads =
                /(?:(?:public|open)\s(?:[\w@]+\s)*(?:init\??|func\s+\w+)(?:<[^>]*>)?|\n {4,8}case \w+)\s*\(/
            for head in text.matches(of: heads) {
                var depth = 1
                let parameters = text[head.range.upperBound...].prefix { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth > 0
                }
                for parameter in parameters.matches(
                    of:
                        /(?:\w+ )?\w*(?:[pP]ath|[dD]irectory|[fF]ile|[sS]pool|[sS]ocket)\w*: (?:String|URL|\[String\])\??/
                ) {
                    found.insert(name + " " + parameter.output.replacing(/\s+/, with: " "))
                }
            }
        }
        return found
    }
}

@Suite(.inTurn) struct PathTests {
    private let scratch = Scratch()

    @Test("A path is absolute by its bytes, and has no slash too many")
    func absolute() {
        let home = HomeDirectory.path ?? ""
        for (path, base, expected) in [
            ("x", "/a", "/a/x"), ("x", "/", "/x"), ("./x", "/a", "/a/x"), (".", "/a", "/a"), ("", "/a", ""),
            ("/x", "/a", "/x"), ("/\u{301}x", "/a", "/\u{301}x"), ("\u{301}", "/a", "/a/\u{301}"),
            ("~/x", "/a", home + "/x"), ("~", "/a", home), ("~x", "/a", "/a/~x"),
        ] {
            #expect(path.absolutePath(in: base) == expected)
        }
        #expect("/x".folderAndName == ("/", "x") && "/a/\u{301}b".folderAndName == ("/a", "\u{301}b"))
    }

    @Test("Each parameter that takes a path is one that the other test drives")
    func complete() throws {
        let declared = try PathParameter.declared()
        let driven = Set(PathParameter.all.map(\.name))
        let unknown = declared.subtracting(driven).subtracting(PathParameter.others)
            // Cases that no program makes.
            .subtracting(["SystemConnection path: String", "FollowPlan path: String"])
        #expect(unknown.isEmpty, "drive them, or list them in `others`: \(unknown.sorted())")
        #expect(driven.subtracting(declared).isEmpty, "\(driven.subtracting(declared).sorted())")
    }

    @Test(
        "A relative path stays where it was given, wherever the program goes",
        arguments: PathParameter.all.indices)
    func changedDirectory(index: Int) async {
        await #expect(processExitsWith: .success) { [index = index as Int, place = scratch.path as String] in
            for name in ["first", "second"] {
                try FileManager.default.createDirectory(
                    atPath: place + "/" + name, withIntermediateDirectories: true)
            }
            #expect(chdir(place + "/first") == 0)
            let path = try PathParameter.all[index].drive { chdir(place + "/second") }
            #expect(path == place + "/first/x", "\(PathParameter.all[index].name): \(path)")
            let strays = try FileManager.default.contentsOfDirectory(atPath: place + "/second")
            #expect(strays.isEmpty, "\(PathParameter.all[index].name): \(strays)")
        }
    }
}
