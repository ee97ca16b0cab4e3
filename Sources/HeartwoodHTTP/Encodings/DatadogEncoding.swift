public import Heartwood
import HeartwoodConfiguration

/// Datadog's log intake, version 2.
///
/// A trace (`withLogTrace(_:_:)`) is in `dd.trace_id` and `dd.span_id`, as the decimal numbers of 64 bits
/// that Datadog correlates with its own; the error of a call in `error.kind`, `error.message` and
/// `error.stack`.
///
/// Log in with ``RequestDecorator/datadogKey(_:)``. What is older than 18 hours is taken with another date,
/// or refused.
public struct DatadogEncoding: RemoteEncoding {
    private let service: String
    private let source: String
    private let tags: String
    private let host: String?

    /// Makes the encoding; the source is `swift` unless another is given.
    ///
    /// - Parameters:
    ///   - service: The service that the messages belong to.
    ///   - source: The technology that the messages come from; `swift` unless given.
    ///   - tags: Tags of every message, `env:prod` for instance; none unless given.
    ///   - host: The host's name; none unless given.
    public init(service: String, source: String = "swift", tags: [String] = [], host: String? = nil) {
        self.service = service
        self.source = source
        self.tags = tags.joined(separator: ",")
        self.host = host
    }

    /// `/api/v2/logs`.
    public var defaultPath: String { "/api/v2/logs" }
    /// 1,000 entries and 5 MB.
    public var limits: EncodingLimits { EncodingLimits(entries: 1000, bytes: ByteCount(5_000_000)) }

    /// The array.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 640 * batch.entries.count)
        output.append(UInt8(ascii: "["))
        for (index, entry) in batch.entries.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"message\":" as StaticString)
            output.append(json: entry.text)
            JSONEntry.append("status", LevelNumbers.datadog(entry.severity), to: &output)
            JSONEntry.append("service", service, to: &output)
            JSONEntry.append("ddsource", source, to: &output)
            if !tags.isEmpty { JSONEntry.append("ddtags", tags, to: &output) }
            JSONEntry.append("hostname", host, to: &output)
            JSONEntry.append("date", entry.time.nanoseconds / 1_000_000, to: &output)
            JSONEntry.append("level", entry.levelName, to: &output)
            JSONEntry.append("logger.name", entry.category, to: &output)
            if !entry.file.isEmpty {
                JSONEntry.append("file", entry.file, to: &output)
                JSONEntry.append("line", entry.line, to: &output)
                JSONEntry.append("function", entry.function, to: &output)
            }
            JSONEntry.append("logger.thread_name", entry.threadName, to: &output)
            JSONEntry.append("heartwood.id", entry.id, to: &output)
            var fields = entry.allFields
            if let trace = fields.takeTrace() {
                JSONEntry.append("dd.trace_id", trace.decimalTraceID, to: &output)
                JSONEntry.append("dd.span_id", trace.decimalSpanID, to: &output)
            }
            if let error = fields.takeError() {
                JSONEntry.append("error.kind", error.type, to: &output)
                JSONEntry.append("error.message", error.message, to: &output)
                JSONEntry.append("error.stack", error.causes, to: &output)
                if let domain = error.domain { JSONEntry.append("error.domain", domain, to: &output) }
                if let code = error.code { JSONEntry.append("error.code", code, to: &output) }
            }
            JSONEntry.append(fields, avoiding: Self.ownKeys, to: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
        return output.array
    }

    private static let ownKeys: Set<String> = [
        "message", "status", "service", "ddsource", "ddtags", "hostname", "date", "level", "logger.name",
        "file",
        "line", "function", "logger.thread_name", "heartwood.id", "dd.trace_id", "dd.span_id", "error.kind",
        "error.message", "error.stack", "error.domain", "error.code",
    ]
}

extension RequestDecorator {
    /// Shows Datadog's key (`DD-API-KEY`).
    public static func datadogKey(_ key: Secret) -> RequestDecorator {
        RequestDecorator { $0.with(header: "DD-API-KEY", key.revealed()) }
    }
}

extension DatadogEncoding {
    static let kind = EncodingKind(
        "datadog", make: { DatadogEncoding(service: $0) },
        login: { .header("DD-API-KEY", secret: $0, from: $1) }
    ) { settings in
        let service = settings.required("service", .string)
        let source = settings.optional("source", .string) ?? "swift"
        let tags = settings.optional("tags", LogSettingDecoder<String>.string.list) ?? []
        let host = settings.optional("host", .string)
        return service.content.map { DatadogEncoding(service: $0, source: source, tags: tags, host: host) }
    }
}
