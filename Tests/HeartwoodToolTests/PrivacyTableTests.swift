import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodHTTP
@testable import HeartwoodSQLite

/// Every formatter, encoding and store, with every type of value, privacy and policy: what may not be read is nowhere.
@Suite("Private values in all formats", .inTurn) struct PrivacyTableTests {
    /// A value of some type, and the forms in which it would be readable.
    struct Sample: Sendable {
        let type: String
        /// A text with the value in it, under the name `secret`.
        let text: @Sendable (LogPrivacy) -> LogText
        let forms: [[UInt8]]

        init(_ type: String, _ forms: [String], _ text: @escaping @Sendable (LogPrivacy) -> LogText) {
            self.init(type, bytes: forms.map { Array($0.utf8) }, text)
        }

        init(_ type: String, bytes: [[UInt8]], _ text: @escaping @Sendable (LogPrivacy) -> LogText) {
            (self.type, self.text, forms) = (type, text, bytes)
        }

        init(_ value: LogValue, _ forms: [String]) {
            let type = "LogValue." + ("\(Mirror(reflecting: value).children.first?.label ?? "null")")
            self.init(type, forms) { "value \(value, as: "secret", privacy: $0) end" }
        }

        func isReadable(in output: [UInt8]) -> Bool {
            let output = Data(output)
            return forms.contains { output.range(of: Data($0)) != nil }
        }

        /// What is around a form that is readable, or else the beginning.
        func surroundings(in output: [UInt8]) -> String {
            let data = Data(output)
            let place = forms.lazy.compactMap { data.range(of: Data($0)) }.first ?? 0..<300
            let shown = max(0, place.lowerBound - 300)..<min(data.count, place.upperBound + 300)
            return String(decoding: data[shown], as: UTF8.self)
        }

        func count(in output: [UInt8]) -> Int {
            let text = Data(output)
            return forms.reduce(0) { count, form in
                var (found, start) = (0, text.startIndex)
                while let next = text.range(of: Data(form), in: start..<text.endIndex) {
                    (found, start) = (found + 1, next.upperBound)
                }
                return count + found
            }
        }
    }

    private struct Person: Encodable, CustomStringConvertible {
        var name = "hidden7431"
        var description: String { "person hidden7431" }
    }

    private final class Thing: CustomStringConvertible, Sendable {
        var description: String { "thing hidden7431" }
    }

    private enum Kind: String, Encodable { case hidden7431 }

    private static let word = "hidden7431"
    private static let number = 7_431_990_251
    /// 2100-01-01T00:00:05.678Z.
    private static let moment = LogTimestamp(nanoseconds: 4_102_444_805_678_000_000)
    private static let uuid = UUID(uuid: (0x74, 0x31, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private static func bytes<Number>(_ number: Number) -> [UInt8] { withUnsafeBytes(of: number, Array.init) }

    /// Each case of `LogValue`, flat and nested, and each way that a call may write a value.
    static let samples: [Sample] =
        fieldValues + plainValues + otherValues

    private static let fieldValues: [Sample] = [
        Sample("LogValue.integer", bytes: [Array("7431990251".utf8), bytes(Int64(number))]) {
            "value \(LogValue.integer(Int64(number)), as: "secret", privacy: $0) end"
        },
        Sample(.unsigned(UInt64(number)), ["7431990251"]), Sample(.double(7431.125), ["7431.125"]),
        Sample(.string(word), [word]), Sample(.timestamp(moment), ["2100-01-01T00:00:05.678"]),
        Sample(.date(moment.date), ["2100-01-01T00:00:05.678"]),
        Sample(.uuid(uuid), [uuid.uuidString, uuid.uuidString.lowercased()]),
        Sample(.decimal("7431.9902510"), ["7431.990251"]),
        Sample(.json("{\"name\":\"hidden7431\",\"list\":[1,2]}"), [word]),
        Sample(.array(["hidden7431", 2]), [word]),
        Sample(.array([.array([.array([.string(word)])])]), [word]),
        Sample(.object(["name": "hidden7431"]), [word]), Sample(.object(["hidden7431": nil]), [word]),
        Sample(.object(["list": [["name": .array([.object(["deep": .string(word)])])]]]), [word]),
        Sample(.array([.object(["number": .integer(Int64(number))])]), ["7431990251"]),
        Sample(.array([.json("[\"hidden7431\"]"), .uuid(uuid), .bool(true), .null]), [word]),
    ]

    private static let plainValues: [Sample] = [
        Sample("Int", ["7431990251"]) { "value \(number, as: "secret", privacy: $0) end" },
        Sample("Int with a format", ["7431990251", "1bafb2beb"]) {
            "value \(number, as: "secret", privacy: $0, format: .hex) end"
        },
        Sample("UInt64", ["18446744073709551615"]) { "value \(UInt64.max, as: "secret", privacy: $0) end" },
        Sample("UInt128", ["340282366920938463463374607431768211455"]) {
            "value \(UInt128.max, as: "secret", privacy: $0) end"
        },
        Sample("Double", ["7431.125"]) { "value \(7431.125, as: "secret", privacy: $0) end" },
        Sample("Double with a format", ["7431.1"]) {
            "value \(7431.125, as: "secret", privacy: $0, format: .fixed(1)) end"
        },
        Sample("Float", ["7431.125"]) { "value \(Float(7431.125), as: "secret", privacy: $0) end" },
        Sample("String", [word]) { "value \(word, as: "secret", privacy: $0) end" },
        Sample("Substring", [word]) { "value \(word.dropFirst(0), as: "secret", privacy: $0) end" },
        Sample("Character", ["\u{2603}"]) { "value \(Character("\u{2603}"), as: "secret", privacy: $0) end" },
        Sample("StaticString", [word]) {
            "value \("hidden7431" as StaticString, as: "secret", privacy: $0) end"
        },
        Sample("Date", ["2100-01-01T00:00:05.678"]) { "value \(moment.date, as: "secret", privacy: $0) end" },
        Sample("LogTimestamp", ["2100-01-01T00:00:05.678"]) {
            "value \(moment, as: "secret", privacy: $0) end"
        },
        Sample("UUID", [uuid.uuidString, uuid.uuidString.lowercased()]) {
            "value \(uuid, as: "secret", privacy: $0) end"
        },
        Sample("Decimal", ["7431.990251"]) {
            "value \(Decimal(string: "7431.990251") ?? 0, as: "secret", privacy: $0) end"
        },
        Sample("URL", [word]) {
            "value \(URL(fileURLWithPath: "/tmp/hidden7431"), as: "secret", privacy: $0) end"
        },
    ]

    private static let otherValues: [Sample] = [
        Sample("String?", [word]) { "value \(word as String?, as: "secret", privacy: $0) end" },
        Sample("String? with a default", [word]) {
            "value \(nil as String?, default: word, as: "secret", privacy: $0) end"
        },
        Sample("Encodable", [word]) { "value \(Person(), as: "secret", privacy: $0) end" },
        Sample("enum", [word]) { "value \(Kind.hidden7431, as: "secret", privacy: $0) end" },
        Sample("class", [word]) { "value \(Thing(), as: "secret", privacy: $0) end" },
        Sample("[String]", [word]) { "value \([word], as: "secret", privacy: $0) end" },
        Sample("[String: [Int]]", ["7431990251"]) {
            "value \(["a": [number]], as: "secret", privacy: $0) end"
        },
        Sample("Any", [word]) { "value \([Person()] as Any, as: "secret", privacy: $0) end" },
        Sample("a text of 70,000 bytes", [String(repeating: "hidden7431", count: 3)]) {
            "value \(String(repeating: word, count: 7000), as: "secret", privacy: $0) end"
        },
    ]

    static let privacies: [LogPrivacy] = [.public, .private, .privateHashed, .sensitive]

    static func policies() throws -> [LogPrivacyPolicy] {
        let key = try PrivacyKey(Secret(bytes: Array(0..<32)))
        return [.reveal, .redact, .hash, .keyedHash(key), .encrypt(key)]
    }

    /// Whether a logger with this policy may show a value of this privacy.
    static func mayShow(_ privacy: LogPrivacy, _ policy: LogPrivacyPolicy) -> Bool {
        privacy == .public || (privacy != .sensitive && policy == .reveal)
    }

    // MARK: Formatters

    private typealias Format = (name: String, make: (LogPrivacyPolicy) throws -> LogFormatter)

    private static func json(
        _ base: JSONLinesFormatter.Options, values: JSONFieldValues = .any
    ) -> (LogPrivacyPolicy) -> LogFormatter {
        { policy in
            var options = base
            (options.privacy, options.values) = (policy, values)
            return JSONLinesFormatter(options)
        }
    }

    private static func pattern(_ text: String) -> (LogPrivacyPolicy) throws -> LogFormatter {
        { policy in
            var options = PatternFormatter.Options()
            options.privacy = policy
            return try PatternFormatter(text, options)
        }
    }

    private static func syslog(_ change: @escaping (inout SyslogFormatter.Options) -> Void) -> (
        LogPrivacyPolicy
    ) -> LogFormatter {
        { policy in
            var options = SyslogFormatter.Options()
            options.privacy = policy
            change(&options)
            return SyslogFormatter(options)
        }
    }

    private static var formats: [Format] {
        [
            (
                "line",
                { policy in
                    var options = LineFormatter.Options()
                    options.privacy = policy
                    return LineFormatter(options)
                }
            ),
            (
                "line, indented",
                { policy in
                    var options = LineFormatter.Options()
                    (options.privacy, options.escaping) = (policy, .indent)
                    return LineFormatter(options)
                }
            ),
            (
                "logfmt",
                { policy in
                    var options = LogfmtFormatter.Options()
                    options.privacy = policy
                    return LogfmtFormatter(options)
                }
            ),
            ("json", json(JSONLinesFormatter.Options())),
            ("json, scalars", json(JSONLinesFormatter.Options(), values: .scalars)),
            ("json, strings and numbers", json(JSONLinesFormatter.Options(), values: .stringsAndNumbers)),
            ("ecs", json(.ecs())), ("gelf", json(.gelf())), ("swiftyBeaver json", json(.swiftyBeaver)),
            ("pattern", pattern("{time} {level} {message} {field.secret}")),
            ("swiftyBeaver", { try LogFormatter.swiftyBeaver(privacy: $0) }),
            ("cocoaLumberjackFile", { PatternFormatter.cocoaLumberjackFile(privacy: $0) }),
            ("syslog", syslog { _ in }),
            (
                "chain",
                { policy in
                    var options = LineFormatter.Options()
                    options.privacy = policy
                    var fields = LogfmtFormatter.Options()
                    fields.privacy = policy
                    return FormatterChain([LineFormatter(options), LogfmtFormatter(fields)])
                }
            ),
        ]
    }

    private func message(_ sample: Sample, _ privacy: LogPrivacy) -> LogMessage {
        // The place is fixed: a line number must not look like a value.
        LogMessage(sample.text(privacy), file: "Module/File.swift", function: "f()", line: 1, threadID: 7)
    }

    private func expect(
        _ output: [UInt8], _ sample: Sample, _ privacy: LogPrivacy, _ policy: LogPrivacyPolicy,
        in place: String
    ) {
        #expect(
            sample.isReadable(in: output) == Self.mayShow(privacy, policy),
            "\(place): \(sample.type), \(privacy), \(policy): \(sample.surroundings(in: output).debugDescription)"
        )
    }

    @Test("No formatter shows what its policy hides, whatever the type, and each shows what it may")
    func formatters() throws {
        for policy in try Self.policies() {
            for (name, make) in Self.formats {
                let formatter = try make(policy)
                for sample in Self.samples {
                    for privacy in Self.privacies {
                        var buffer = LogBuffer()
                        #expect(formatter.format(message(sample, privacy), into: &buffer))
                        expect(buffer.array, sample, privacy, policy, in: name)
                    }
                }
            }
        }
    }

    @Test("A message, the console and the journal's entries show no more than their policy lets them")
    func layouts() throws {
        for policy in try Self.policies() {
            let console = ConsoleLayout(zone: .utc)
            let entries = JournalEntry(program: "p", facility: 1, privacy: policy, limit: 0)
            for sample in Self.samples {
                for privacy in Self.privacies {
                    let message = message(sample, privacy)
                    var output = LogBuffer()
                    console.append(message, to: &output, depth: .full, privacy: policy)
                    expect(output.array, sample, privacy, policy, in: "console")
                    output.removeAll()
                    _ = entries.append(message, to: &output) {
                        $0.appendText(of: message, privacy: policy)
                        return true
                    }
                    expect(output.array, sample, privacy, policy, in: "journald")
                    let text = message.text(privacy: policy) + "\(message.fields(privacy: policy))"
                    expect(Array(text.utf8), sample, privacy, policy, in: "text and fields")
                    if policy == .redact {
                        expect(Array(message.text.utf8), sample, privacy, policy, in: "text")
                        let fields = "\(message.fields)"
                        expect(Array(fields.utf8), sample, privacy, policy, in: "fields")
                    }
                }
            }
        }
    }

    // MARK: Encodings

    @Test("No encoding and no spooled entry shows what the logger's policy hides")
    func encodings() throws {
        let key = Secret(bytes: Array(repeating: 65, count: 32))
        let encodings: [any RemoteEncoding] = [
            NDJSONEncoding(), JSONArrayEncoding(), OTLPEncoding(service: "s"),
            ElasticsearchEncoding(index: "i"), LokiEncoding(labels: ["a": "b"]),
            DatadogEncoding(service: "s"), SplunkEncoding(), JournalEncoding(identifier: "i"),
        ]
        for policy in try Self.policies() {
            for sample in Self.samples {
                for privacy in Self.privacies {
                    let entry = RemoteEntry(message(sample, privacy), privacy: policy)
                    let batch = RemoteBatch(entries: [entry], key: "k")
                    expect(EntryCoder.encode(entry), sample, privacy, policy, in: "spool")
                    for encoding in encodings {
                        let place = "\(Swift.type(of: encoding))"
                        expect(try encoding.encode(batch), sample, privacy, policy, in: place)
                    }
                    expect(SwiftyBeaverEncoding.plain(batch), sample, privacy, policy, in: "SwiftyBeaver")
                    _ = try SwiftyBeaverEncoding(encryptionKey: key).encode(batch)
                }
            }
        }
    }

    // MARK: Stores

    /// The content of all files in a folder, one after another.
    private func content(of folder: String) throws -> [UInt8] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return names.flatMap { Array(FileManager.default.contents(atPath: folder + "/" + $0) ?? Data()) }
    }

    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    @Test(
        "A database, a spool and a file on the disk hold nothing that the policy hides, rows and pages included"
    )
    func stores() throws {
        for policy in try Self.policies() {
            for privacy in Self.privacies {
                let folder = try folder()
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let dispatcher = LogDispatcher()
                dispatcher.overflowPolicy = .block(upTo: .seconds(60))
                let database = try SQLiteLogger(path: folder + "/db/log.sqlite")
                database.privacy = policy
                let file = try FileLogger(directory: folder + "/files")
                file.maximumMessageSize = .mebibytes(1)
                var options = LogfmtFormatter.Options()
                options.privacy = policy
                file.formatter = LogfmtFormatter(options)
                let http = try HTTPLogger(
                    "http://127.0.0.1:9/", settings: HTTPSettings(allowsInsecureHTTP: true),
                    spool: folder + "/spool")
                http.privacy = policy
                for logger in [database, file, http] as [AbstractLogger] { dispatcher.add(logger) }
                for sample in Self.samples { log(sample.text(privacy), level: .info, to: dispatcher) }
                #expect(dispatcher.flush(timeout: .testLimit).isComplete)
                dispatcher.removeAll()
                for place in ["db", "files", "spool"] {
                    let bytes = try content(of: folder + "/" + place)
                    for sample in Self.samples { expect(bytes, sample, privacy, policy, in: place) }
                }
            }
        }
    }
}
