package import Heartwood
import HeartwoodConfiguration

/// A form of requests by its name, as configurations and `heartwood pipe --encoding` know it.
package struct EncodingKind: Sendable {
    package let name: String
    /// Makes the encoding for a program by its name alone; nil where that does not say enough.
    package let make: (@Sendable (_ service: String) -> any RemoteEncoding)?
    /// Shows the server a secret of a provider, in the way that it wants.
    package let login: @Sendable (_ secret: String, _ provider: any SecretProvider) -> RequestDecorator
    /// Makes the encoding from an object of a configuration; nil, with a problem noted, where it says too
    /// little.
    let read: @Sendable (LogSettings) throws -> (any RemoteEncoding)?

    init(
        _ name: String, make: (@Sendable (String) -> any RemoteEncoding)?,
        login: @escaping @Sendable (String, any SecretProvider) -> RequestDecorator = {
            .bearer(named: $0, from: $1)
        },
        read: @escaping @Sendable (LogSettings) throws -> (any RemoteEncoding)?
    ) {
        (self.name, self.make, self.login, self.read) = (name, make, login, read)
    }

    /// All kinds, in the order in which they are named to people.
    package static let all: [EncodingKind] = [
        JSONArrayEncoding.kind, NDJSONEncoding.kind, OTLPEncoding.kind, LokiEncoding.kind,
        ElasticsearchEncoding.kind, SplunkEncoding.kind, DatadogEncoding.kind, JournalEncoding.kind,
        SwiftyBeaverEncoding.kind,
    ]
}

extension LogSettingDecoder where Value == any RemoteEncoding {
    /// `"json"` or `"ndjson"`, or a table with `kind`.
    static var encoding: LogSettingDecoder {
        LogSettingDecoder.choice([("json", JSONArrayEncoding()), ("ndjson", NDJSONEncoding())])
            .or(
                .object("encoding", table), named: "encoding",
                write: "json, ndjson or an object with “kind”", when: { $0.members != nil })
    }

    private static func table(_ settings: LogSettings) throws -> (any RemoteEncoding)? {
        let names = LogSettingDecoder<String>.choice(EncodingKind.all.map { ($0.name, $0.name) })
        let name = settings.required("kind", names).content
        return try EncodingKind.all.first { $0.name == name }?.read(settings)
    }
}
