import Heartwood

/// Grafana Loki's push API: one stream for each level, everything else as structured metadata.
public struct LokiEncoding: RemoteEncoding {
    /// The labels of every stream; few, and with few values.
    public let labels: [String: String]
    /// The tenant (`X-Scope-OrgID`), where Loki has several.
    public let tenant: String?

    /// Makes the encoding; `level` is added to the labels.
    ///
    /// A character that a label's name cannot have becomes `_`.
    public init(labels: [String: String], tenant: String? = nil) {
        var clean: [String: String] = [:]
        for (name, value) in labels { clean[Self.label(name)] = value }
        self.labels = clean
        self.tenant = tenant
    }

    /// `application/json`.
    public var contentType: String { "application/json" }
    /// `/loki/api/v1/push`.
    public var defaultPath: String { "/loki/api/v1/push" }
    /// 1,000 entries and 2 MiB, below what a tenant may send at once.
    public var limits: EncodingLimits { EncodingLimits(entries: 1000, bytes: .mebibytes(2)) }
    /// ``StatusPolicy/loki``.
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
                Self.append(entry, to: &output)
            }
            output.append("]}" as StaticString)
        }
        output.append("]}" as StaticString)
        return output.array
    }

    /// The time must be a string: Loki refuses a number.
    private static func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        output.append(UInt8(ascii: "["))
        output.append(json: String(entry.time.nanoseconds))
        output.append(UInt8(ascii: ","))
        output.append(json: entry.text)
        output.append(",{\"id\":" as StaticString)
        output.append(json: entry.id)
        var taken: Set<String> = ["id", "category", "file", "line", "function", "thread"]
        append("category", entry.category, to: &output)
        if !entry.file.isEmpty {
            append("file", entry.file, to: &output)
            append("line", String(entry.line), to: &output)
            append("function", entry.function, to: &output)
        }
        append("thread", entry.threadName ?? String(entry.threadID), to: &output)
        for (name, value) in entry.allFields {
            var key = label(name)
            while !taken.insert(key).inserted { key = "_" + key }
            append(key, value.description, to: &output)
        }
        output.append("}]" as StaticString)
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

    /// Of a batch answered with 400 the good lines are stored: how many were not is only in the text.
    public func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        let action = statusPolicy.action(for: response.status)
        guard response.status == 400 else { return DeliveryVerdict(action) }
        return DeliveryVerdict(.deliver, note: "Loki refused lines: \(response.text.prefix(200))")
    }
}
