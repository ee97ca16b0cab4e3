#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import Heartwood
import HeartwoodConfiguration

/// Splunk's HTTP Event Collector: one JSON object per event, one after the other.
///
/// Log in with ``RequestDecorator/splunkToken(_:)``. For a token with indexer acknowledgement (`useACK`) give
/// a channel: what the collector has received stays in the store then until it says that it is indexed. The
/// `time` of an event before 1970 is 0.
public struct SplunkEncoding: RemoteEncoding {
    private let host: String?
    private let source: String?
    private let sourceType: String
    private let index: String?
    private let channel: String?

    /// Makes the encoding.
    ///
    /// - Parameters:
    ///   - host: The events' host; none unless given.
    ///   - source: The events' source; none unless given.
    ///   - sourceType: The events' source type; `_json` unless given.
    ///   - index: The index; the token's own unless given.
    ///   - channel: The channel that every request names, a UUID, such as `UUID().uuidString`.
    ///     Acknowledgements are asked for on it when the collector offers them; a token that requires them
    ///     answers with an error without a channel.
    public init(
        host: String? = nil, source: String? = nil, sourceType: String = "_json", index: String? = nil,
        channel: String? = nil
    ) {
        self.channel = channel
        self.host = host
        self.source = source
        self.sourceType = sourceType
        self.index = index
    }

    /// `/services/collector/event`.
    public var defaultPath: String { "/services/collector/event" }
    /// 1,000 entries and 1 MB, which old versions take too.
    public var limits: EncodingLimits { EncodingLimits(entries: 1000, bytes: ByteCount(1_000_000)) }

    /// The events.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 640 * batch.entries.count)
        for entry in batch.entries {
            output.append("{\"time\":" as StaticString)
            Self.append(seconds: entry.time, to: &output)
            JSONEntry.append("host", host, to: &output)
            JSONEntry.append("source", source, to: &output)
            JSONEntry.append("sourcetype", sourceType, to: &output)
            JSONEntry.append("index", index, to: &output)
            output.append(",\"event\":" as StaticString)
            JSONEntry.append(entry, to: &output)
            output.append(",\"fields\":{\"level\":" as StaticString)
            output.append(json: entry.levelName)
            JSONEntry.append("category", entry.category, to: &output)
            output.append("}}\n" as StaticString)
        }
        return output.array
    }

    /// The channel.
    public func headers(for batch: RemoteBatch) -> HTTPHeaders { channelHeaders }

    private var channelHeaders: HTTPHeaders {
        channel.map { ["X-Splunk-Request-Channel": $0] } ?? [:]
    }

    private static func append(seconds time: LogTimestamp, to output: inout LogBuffer) {
        let milliseconds = max(0, time.nanoseconds) / 1_000_000
        output.append(milliseconds / 1000)
        output.append(UInt8(ascii: "."))
        let rest = String(milliseconds % 1000)
        output.append(repeating: UInt8(ascii: "0"), count: 3 - rest.count)
        output.append(rest)
    }

    /// Splunk's own code decides: a bad event is named by its number, and those before it are indexed.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        let answer = try? ValueDepth.decode(Answer.self, json: response.body)
        let note = answer?.text
        guard response.status == 400 else {
            let action = statusPolicy.action(for: response.status)
            // “Success” is nothing to report.
            var verdict = DeliveryVerdict(action, note: action == .deliver ? nil : note)
            if action == .deliver, channel != nil { verdict.receipt = answer?.ackId.map { String($0) } }
            return verdict
        }
        switch answer?.code {
        case 7, 10, 11, 14, 16: return DeliveryVerdict(.hold, note: note)  // index, channel, ack: settings
        default: break
        }
        guard let bad = answer?.number, batch.entries.indices.contains(bad) else {
            return DeliveryVerdict(.isolate, note: note)
        }
        let items = batch.entries.indices.map { index -> DeliveryVerdict.Item in
            index < bad ? .delivered : index == bad ? .rejected(note ?? "rejected") : .retry
        }
        return DeliveryVerdict(items: items, note: note)
    }

    private struct Answer: Decodable {
        let text: String?
        let code: Int?
        let number: Int?
        let ackId: Int?

        private enum CodingKeys: String, CodingKey {
            case text, code, ackId
            case number = "invalid-event-number"
        }
    }
}

extension SplunkEncoding: AcknowledgingEncoding {
    /// `POST /services/collector/ack` with the numbers of the receipts.
    public func acknowledgementRequest(
        for receipts: [String]
    ) -> (path: String, headers: HTTPHeaders, body: [UInt8]) {
        let numbers = receipts.compactMap { Int($0) }.map(String.init).joined(separator: ",")
        return ("/services/collector/ack", channelHeaders, Array("{\"acks\":[\(numbers)]}".utf8))
    }

    /// The receipts that the collector says are indexed.
    public func confirmed(in response: HTTPResponse) -> [String]? {
        guard (200...299).contains(response.status) else { return nil }
        let answer = try? ValueDepth.decode(Acknowledgements.self, json: response.body)
        return answer.map { $0.acks.filter(\.value).map(\.key) }
    }

    private struct Acknowledgements: Decodable {
        let acks: [String: Bool]
    }
}

extension RequestDecorator {
    /// Shows Splunk's token (`Authorization: Splunk …`).
    public static func splunkToken(_ token: Secret) -> RequestDecorator {
        RequestDecorator { $0.with(header: "Authorization", "Splunk " + token.revealed()) }
    }
}

extension SplunkEncoding {
    static let kind = EncodingKind(
        "splunk", make: { SplunkEncoding(source: $0) },
        login: { .header("Authorization", secret: $0, from: $1, prefix: "Splunk ") }
    ) { settings in
        SplunkEncoding(
            host: settings.optional("host", .string), source: settings.optional("source", .string),
            sourceType: settings.optional("sourceType", .string) ?? "_json",
            index: settings.optional("index", .string), channel: settings.optional("channel", .string))
    }
}
