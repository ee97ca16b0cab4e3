import Heartwood
import HeartwoodConfiguration

/// Grafana Loki's push API: one stream for each level, everything else as structured metadata.
///
/// A line has 128 fields at most, which is Loki's limit; how many more there were is in
/// `heartwood_dropped_fields`. A server that takes no structured metadata, as those before version 3 unless
/// told to, refuses every batch; nothing is lost, and the report says so. For such a server make the encoding
/// with `structuredMetadata: false`.
public struct LokiEncoding: RemoteEncoding {
    /// The labels of every stream; few, and with few values.
    let labels: [String: String]
    /// The tenant (`X-Scope-OrgID`), where Loki has several.
    let tenant: String?
    /// Whether fields go beside the line; otherwise each line is a JSON object, which `| json` takes apart in
    /// a query.
    let structuredMetadata: Bool

    /// How many fields Loki takes for a line.
    private static let mostFields = 128

    /// Makes the encoding; `level` is added to the labels.
    ///
    /// - Parameters:
    ///   - labels: The labels of every stream; a character that a label's name cannot have becomes `_`.
    ///   - tenant: The tenant, where Loki has several.
    ///   - structuredMetadata: Whether the server takes fields beside the line, as it does from version 3 on.
    ///     With false each line is a JSON object with the text and the fields.
    public init(labels: [String: String], tenant: String? = nil, structuredMetadata: Bool = true) {
        self.structuredMetadata = structuredMetadata
        var clean: [String: String] = [:]
        for (name, value) in labels { clean[Self.label(name)] = value }
        self.labels = clean
        self.tenant = tenant
    }

    /// `/loki/api/v1/push`.
    public var defaultPath: String { "/loki/api/v1/push" }
    /// 1,000 entries and 2 MiB, below what a tenant may send at once.
    public var limits: EncodingLimits { EncodingLimits(entries: 1000, bytes: .mebibytes(2)) }
    /// ``StatusPolicy/standard``, but for 260, which says that the tenant blocks.
    public var statusPolicy: StatusPolicy { .loki }

    /// The tenant.
    public func headers(for batch: RemoteBatch) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers["X-Scope-OrgID"] = tenant
        return headers
    }

    /// The streams, each with its lines in their order.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var levels: [String] = []
        for entry in batch.entries where !levels.contains(entry.levelName) { levels.append(entry.levelName) }
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        output.append("{\"streams\":[" as StaticString)
        for (index, level) in levels.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"stream\":{\"level\":" as StaticString)
            output.append(json: level)
            for (name, value) in labels.sorted(by: { $0.key < $1.key }) where name != "level" {
                output.append(UInt8(ascii: ","))
                output.append(json: name)
                output.append(UInt8(ascii: ":"))
                output.append(json: value)
            }
            output.append("},\"values\":[" as StaticString)
            for (index, entry) in batch.entries.filter({ $0.levelName == level }).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(entry, to: &output)
            }
            output.append("]}" as StaticString)
        }
        output.append("]}" as StaticString)
        return output.array
    }

    /// The time must be a string: Loki refuses a number.
    private func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        output.append(UInt8(ascii: "["))
        output.append(json: String(entry.time.nanoseconds))
        output.append(UInt8(ascii: ","))
        if structuredMetadata {
            output.append(json: entry.text)
            Self.appendMetadata(entry, to: &output)
        } else {
            var line = LogBuffer(capacity: 512)
            JSONEntry.append(entry, to: &line)
            output.append(json: line.text)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// `,{"id":"…",…}`, with the first fields of those that are too many.
    private static func appendMetadata(_ entry: RemoteEntry, to output: inout LogBuffer) {
        output.append(",{\"id\":" as StaticString)
        output.append(json: entry.id)
        var taken: Set<String> = [
            "id", "category", "file", "line", "function", "thread", "heartwood_dropped_fields",
        ]
        append("category", entry.category, to: &output)
        if !entry.file.isEmpty {
            append("file", entry.file, to: &output)
            append("line", String(entry.line), to: &output)
            append("function", entry.function, to: &output)
        }
        if let name = entry.threadName {
            append("thread", name, to: &output)
        } else if entry.threadID != 0 {
            append("thread", String(entry.threadID), to: &output)
        }
        let fields = entry.allFields.withFlatError
        let most = mostFields - taken.count
        for (name, value) in fields.prefix(most) {
            var key = label(name)
            while !taken.insert(key).inserted { key = "_" + key }
            append(key, value.description, to: &output)
        }
        if fields.count > most {
            append("heartwood_dropped_fields", String(fields.count - most), to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ key: String, _ text: String?, to output: inout LogBuffer) {
        guard let text else { return }
        output.append(UInt8(ascii: ","))
        output.append(json: key)
        output.append(UInt8(ascii: ":"))
        output.append(json: text)
    }

    /// A name that Loki takes: `[a-zA-Z_][a-zA-Z0-9_]*`.
    static func label(_ name: String) -> String {
        let letters = name.unicodeScalars.map { scalar -> Character in
            let isUsable =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isUsable ? Character(scalar) : "_"
        }
        let label = String(letters.prefix(1024))
        return label.first.map { $0.isNumber } ?? true ? "_" + label : label
    }

    /// An answer of 400 says that lines were refused, but not which: parts are sent again, down to single
    /// lines, and what is refused alone is set aside.
    ///
    /// Lines that Loki had taken come to it twice then; it keeps those of the same time and content once, or
    /// shows them once in a query. Where it refuses all lines for their structured metadata, everything is
    /// held.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        guard response.status == 400 else {
            return DeliveryVerdict(statusPolicy.action(for: response.status))
        }
        let text = response.text.prefix(200)
        if text.contains("structured metadata"), text.contains("disallowed") || text.contains("not allowed") {
            return DeliveryVerdict(
                .hold,
                note: "Loki does not accept structured metadata; allow it there, or create the encoding with "
                    + "structuredMetadata: false (\(text))")
        }
        return DeliveryVerdict(.isolate, note: "Loki rejected lines: \(text)")
    }
}

extension LokiEncoding {
    static let kind = EncodingKind("loki", make: { LokiEncoding(labels: ["job": $0]) }) { settings in
        let labels = settings.required("labels", .labels)
        let tenant = settings.optional("tenant", .string)
        let structured = settings.optional("structuredMetadata", .bool) ?? true
        return labels.content.map {
            LokiEncoding(labels: $0, tenant: tenant, structuredMetadata: structured)
        }
    }
}

extension LogSettingDecoder where Value == [String: String] {
    /// A table of texts.
    fileprivate static var labels: LogSettingDecoder {
        LogSettingDecoder("object of strings") { setting in
            guard let members = setting.members else {
                throw LogError(.setting, "expected an object of strings")
            }
            var labels: [String: String] = [:]
            for member in members {
                guard let text = member.setting.string else {
                    throw LogError(.setting, "“\(member.key)” must be a string")
                }
                labels[member.key] = text
            }
            return labels
        }
    }
}
