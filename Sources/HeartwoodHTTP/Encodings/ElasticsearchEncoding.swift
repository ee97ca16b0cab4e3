#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood
import HeartwoodConfiguration

/// Elasticsearch's and OpenSearch's `_bulk`: every entry is created under an `_id` of its own, so that a
/// repetition does no harm, and is judged by itself.
///
/// A document has the fields of ECS, `trace.id`, `span.id` and `error.*` among them, and the named values and
/// fields of the message in `labels`, where they cannot collide with its own ones; a dot in such a name
/// becomes `_`. Its members and their order are those of `JSONLinesFormatter.Options.ecs`.
public struct ElasticsearchEncoding: RemoteEncoding {
    /// The index or data stream.
    let index: String

    /// Makes the encoding for an index or data stream, `logs-app-default` for instance.
    public init(index: String) { self.index = index }

    /// `application/x-ndjson`.
    public var contentType: String { "application/x-ndjson" }
    /// `/_bulk`, with a filter that keeps the answer short.
    public var defaultPath: String {
        "/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"
    }
    /// 500 entries, so that the answer about them is short enough to be read, and 8 MiB.
    public var limits: EncodingLimits { EncodingLimits(entries: 500, bytes: .mebibytes(8)) }

    /// Two lines for each entry: where it goes, and what it is.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 640 * batch.entries.count)
        for entry in batch.entries {
            output.append("{\"create\":{\"_index\":" as StaticString)
            output.append(json: index)
            JSONEntry.append("_id", entry.id, to: &output)
            output.append("}}\n" as StaticString)
            Self.append(entry, to: &output)
            output.append(UInt8(ascii: "\n"))
        }
        return output.array
    }

    private static func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        output.append("{\"" as StaticString)
        output.append(ECSName.time)
        output.append("\":\"" as StaticString)
        output.append(rfc3339: entry.time)
        output.append(UInt8(ascii: "\""))
        JSONEntry.append(ECSName.level, entry.levelName, to: &output)
        JSONEntry.append(ECSName.message, entry.text, to: &output)
        JSONEntry.append(ECSName.version, ECSName.schemaVersion, to: &output)
        JSONEntry.append(ECSName.category, entry.category, to: &output)
        if !entry.file.isEmpty {
            JSONEntry.append(ECSName.file, entry.file, to: &output)
            JSONEntry.append(ECSName.line, entry.line, to: &output)
            JSONEntry.append(ECSName.function, entry.function, to: &output)
        }
        if entry.threadID != 0 { JSONEntry.append(ECSName.thread, entry.threadID, to: &output) }
        JSONEntry.append(ECSName.threadName, entry.threadName, to: &output)
        JSONEntry.append(ECSName.sequence, entry.sequence, to: &output)
        var fields = entry.allFields
        if let trace = fields.takeTrace() {
            JSONEntry.append(ECSName.trace, trace.traceID, to: &output)
            JSONEntry.append(ECSName.span, trace.spanID, to: &output)
        }
        if let error = fields.takeError() {
            JSONEntry.append("error.type", error.type, to: &output)
            JSONEntry.append("error.message", error.message, to: &output)
            JSONEntry.append("error.code", error.code.map { String($0) }, to: &output)
            JSONEntry.append("error.stack_trace", error.causes, to: &output)
        }
        if !fields.isEmpty {
            output.append(",\"" as StaticString)
            output.append(ECSName.labels)
            output.append("\":" as StaticString)
            output.append(json: .object(labels(fields)))
        }
        output.append(UInt8(ascii: "}"))
    }

    /// The fields under names without points: `a` and `a.b` in one document are a value and an object of one
    /// name.
    private static func labels(_ fields: LogMetadata) -> LogMetadata {
        var labels = LogMetadata()
        for (name, value) in fields {
            var key = String(name.map { $0 == "." ? "_" : $0 })
            if key.isEmpty { key = "_" }
            while labels[key] != nil { key = "_" + key }
            labels[key] = value
        }
        return labels
    }

    /// A 200 is read entry by entry: 409 is one that was stored before, 429 and 503 come again, the rest is
    /// refused.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        guard response.status == 200 else {
            return DeliveryVerdict(statusPolicy.action(for: response.status))
        }
        let answer = try? ValueDepth.decode(Answer.self, json: response.body)
        if answer?.errors == false { return DeliveryVerdict(.deliver) }
        guard let items = answer?.items, items.count == batch.entries.count else {
            // Not understood, or cut off: the halves' answers are shorter, and coming again does no harm.
            let action: StatusAction = response.isBodyCut && batch.entries.count > 1 ? .split : .retry
            return DeliveryVerdict(action, note: "cannot read the server's reply about the entries")
        }
        return DeliveryVerdict(
            items: items.map { item in
                guard let result = item.values.first else { return .retry }
                switch result.status {
                case 200...299, 409: return .delivered
                case 429, 500, 502, 503, 504: return .retry
                default: return .rejected(Self.reason(result))
                }
            })
    }

    private static func reason(_ result: Item) -> String {
        let parts = [String(result.status), result.error?.type].compactMap(\.self).joined(separator: " ")
        return result.error?.reason.map { "\(parts): \($0.prefix(300))" } ?? parts
    }

    private struct Answer: Decodable {
        let errors: Bool?
        let items: [[String: Item]]?
    }

    private struct Item: Decodable {
        let status: Int
        let error: Reason?
    }

    private struct Reason: Decodable {
        let type: String?
        let reason: String?
    }
}

extension ElasticsearchEncoding {
    static let kind = EncodingKind("elasticsearch", make: { ElasticsearchEncoding(index: $0) }) { settings in
        settings.required("index", .string).content.map { ElasticsearchEncoding(index: $0) }
    }
}
