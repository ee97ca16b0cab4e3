#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import Heartwood
import HeartwoodConfiguration

/// OpenTelemetry logs over HTTP, as JSON (OTLP 1.x, `/v1/logs`).
///
/// Each category is a scope. `trace_id` (32 hexadecimal digits), `span_id` (16) and `trace_flags` among the
/// fields become the record's own, as `withLogTrace(_:_:)` sets them; the error of a call becomes
/// `exception.type`, `exception.message`, `exception.domain`, `exception.code` and, with the errors that
/// caused it, `exception.stacktrace`. The resource's attributes have the names of the semantic conventions:
/// `service.name`, `service.version`, `os.type`, `os.version`, `host.arch`, `device.model.name`, and
/// `host.name` where ``HTTPSettings/deviceFacts`` includes it. Partial success is honored: what the collector
/// threw away is counted and not sent again. A time before 1970 is sent as 1970.
public struct OTLPEncoding: RemoteEncoding {
    /// What describes the program: `service.name` and others.
    let resource: LogMetadata

    /// Makes the encoding for a service.
    public init(service: String, resource: LogMetadata = [:]) {
        var all: LogMetadata = ["service.name": .string(service)]
        all.merge(resource) { _, new in new }
        self.resource = all
    }

    /// `/v1/logs`.
    public var defaultPath: String { "/v1/logs" }
    /// 429, 502, 503 and 504 are repeated; 500 and what else is about the data is not.
    public var statusPolicy: StatusPolicy { .otlp }

    /// The `ExportLogsServiceRequest`.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 768 * batch.entries.count)
        var attributes = resource
        attributes.merge(Self.conventional(batch.device)) { current, _ in current }
        output.append("{\"resourceLogs\":[{\"resource\":{\"attributes\":" as StaticString)
        OTLPValue.append(attributes, to: &output)
        output.append("},\"scopeLogs\":[" as StaticString)
        for (index, scope) in Self.scopes(batch.entries).enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"scope\":{\"name\":" as StaticString)
            output.append(json: scope.name)
            output.append("},\"logRecords\":[" as StaticString)
            for (index, entry) in scope.entries.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.append(entry, to: &output)
            }
            output.append("]}" as StaticString)
        }
        output.append("]}]}" as StaticString)
        return output.array
    }

    /// The facts about the device under the names of the semantic conventions; what these have no name for is
    /// `heartwood.…`.
    private static func conventional(_ device: LogMetadata) -> LogMetadata {
        var attributes = LogMetadata()
        for (key, value) in device {
            switch (key, value) {
            case ("os", .string(let name)):
                attributes["os.type"] = .string(name == "Linux" ? "linux" : "darwin")
                attributes["os.name"] = value
            case ("osVersion", _): attributes["os.version"] = value
            case ("hostName", _): attributes["host.name"] = value
            case ("deviceName", _): if device["hostName"] != value { attributes["device.name"] = value }
            case ("deviceModel", .string(let model)):
                if let architecture = architectures[model] {
                    attributes["host.arch"] = .string(architecture)
                } else {
                    attributes["device.model.name"] = value
                }
            case ("appVersion", _): attributes["service.version"] = value
            case ("appBuild", _): attributes["app.build_id"] = .string(value.description)
            case ("uuid", _): attributes["app.installation.id"] = value
            case ("userName", _): attributes["user.name"] = value
            default: attributes["heartwood." + key] = value
            }
        }
        return attributes
    }

    private static let architectures = [
        "x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "i686": "x86", "armv7l": "arm32",
        "ppc64le": "ppc64", "s390x": "s390x",
    ]

    private static func scopes(_ entries: [RemoteEntry]) -> [(name: String, entries: [RemoteEntry])] {
        var scopes: [(name: String, entries: [RemoteEntry])] = []
        var places: [String: Int] = [:]
        for entry in entries {
            let name = entry.category ?? "heartwood"
            if let place = places[name] {
                scopes[place].entries.append(entry)
            } else {
                places[name] = scopes.count
                scopes.append((name, [entry]))
            }
        }
        return scopes
    }

    private static func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        let time = String(max(0, entry.time.nanoseconds))
        output.append("{\"timeUnixNano\":" as StaticString)
        output.append(json: time)
        JSONEntry.append("observedTimeUnixNano", time, to: &output)
        JSONEntry.append("severityNumber", LevelNumbers.otlp(entry.severity), to: &output)
        JSONEntry.append("severityText", entry.levelName.uppercased(), to: &output)
        output.append(",\"body\":{\"stringValue\":" as StaticString)
        output.append(json: entry.text)
        output.append("},\"attributes\":" as StaticString)
        var fields = entry.allFields
        let trace = fields.takeTrace()
        let error = fields.takeError()
        OTLPValue.append(attributes(of: entry, fields, error), to: &output)
        JSONEntry.append("traceId", trace?.traceID, to: &output)
        JSONEntry.append("spanId", trace?.spanID, to: &output)
        if let flags = trace?.flags { JSONEntry.append("flags", flags, to: &output) }
        output.append(UInt8(ascii: "}"))
    }

    private static func attributes(
        of entry: RemoteEntry, _ fields: LogMetadata, _ error: ErrorFields?
    ) -> LogMetadata {
        var all = fields
        if let error {
            all["exception.type"] = .string(error.type)
            all["exception.message"] = .string(error.message)
            all["exception.stacktrace"] = error.causes.map { .string($0) } ?? all["exception.stacktrace"]
            if let domain = error.domain { all["exception.domain"] = .string(domain) }
            if let code = error.code { all["exception.code"] = .integer(code) }
        }
        if !entry.file.isEmpty {
            all["code.file.path"] = .string(entry.file)
            all["code.function.name"] = .string(entry.function)
            all["code.line.number"] = .integer(Int64(entry.line))
        }
        if entry.threadID != 0 { all["thread.id"] = LogValue(entry.threadID) }
        if let name = entry.threadName { all["thread.name"] = .string(name) }
        all["log.record.uid"] = .string(entry.id)
        if entry.context != 0 { all["log.context"] = .integer(Int64(entry.context)) }
        return all
    }

    /// A 200 with `partialSuccess` has thrown records away; they must not come again.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        guard response.status == 200 else {
            return DeliveryVerdict(statusPolicy.action(for: response.status))
        }
        let answer = try? ValueDepth.decode(Answer.self, json: response.body)
        guard let partial = answer?.partialSuccess else { return DeliveryVerdict(.deliver) }
        let note = partial.errorMessage.flatMap { $0.isEmpty ? nil : $0 }
        return DeliveryVerdict(
            .deliver, rejected: min(max(0, partial.rejected), batch.entries.count), note: note)
    }

    private struct Answer: Decodable {
        let partialSuccess: Partial?
    }

    private struct Partial: Decodable {
        let rejected: Int
        let errorMessage: String?

        private enum Key: String, CodingKey { case rejectedLogRecords, errorMessage }

        /// A 64-bit number is a string in OTLP's JSON; some servers write a number all the same.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let text = try? container.decodeIfPresent(String.self, forKey: .rejectedLogRecords)
            let number = try? container.decodeIfPresent(Int.self, forKey: .rejectedLogRecords)
            rejected = text.flatMap { Int($0) } ?? number ?? 0
            errorMessage = try? container.decodeIfPresent(String.self, forKey: .errorMessage)
        }
    }
}

/// Values as OTLP's JSON writes them.
private enum OTLPValue {
    static func append(_ fields: LogMetadata, to output: inout LogBuffer, depth: Int = 0) {
        output.append(UInt8(ascii: "["))
        for (index, (key, value)) in fields.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"key\":" as StaticString)
            output.append(json: key)
            output.append(",\"value\":" as StaticString)
            append(value, to: &output, depth: depth)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
    }

    static func append(_ value: LogValue, to output: inout LogBuffer, depth: Int = 0) {
        if depth == LogValue.maximumDepth, value.isNested { return append(.cut, to: &output) }
        output.append(UInt8(ascii: "{"))
        switch value {
        case .null: break
        case .bool(let value):
            output.append(value ? "\"boolValue\":true" as StaticString : "\"boolValue\":false")
        case .integer(let value): append("intValue", String(value), to: &output)
        case .unsigned(let value) where value <= UInt64(Int64.max):
            append("intValue", String(value), to: &output)
        case .double(let value):
            output.append("\"doubleValue\":" as StaticString)
            if value.isFinite {
                output.append(json: .double(value))
            } else {
                output.append(json: value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
            }
        case .array(let values):
            output.append("\"arrayValue\":{\"values\":[" as StaticString)
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(value, to: &output, depth: depth + 1)
            }
            output.append("]}" as StaticString)
        case .object(let fields):
            output.append("\"kvlistValue\":{\"values\":" as StaticString)
            append(fields, to: &output, depth: depth + 1)
            output.append(UInt8(ascii: "}"))
        case .string(let text), .decimal(let text), .json(let text): append("stringValue", text, to: &output)
        case .date(let date) where !date.hasDay: break
        case .unsigned, .date, .timestamp, .uuid: append("stringValue", value.description, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ kind: StaticString, _ text: String, to output: inout LogBuffer) {
        output.append(UInt8(ascii: "\""))
        output.append(kind)
        output.append("\":" as StaticString)
        output.append(json: text)
    }
}

extension OTLPEncoding {
    static let kind = EncodingKind("otlp", make: { OTLPEncoding(service: $0) }) { settings in
        let service = settings.required("service", .string)
        let resource = settings.optional("resource", .metadata) ?? [:]
        return service.content.map { OTLPEncoding(service: $0, resource: resource) }
    }
}
