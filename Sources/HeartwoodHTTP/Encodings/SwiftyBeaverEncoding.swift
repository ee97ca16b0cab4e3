public import Heartwood
import HeartwoodArchive
import HeartwoodConfiguration

/// SwiftyBeaver's platform: entries and device, encrypted with AES-256-CBC, in one JSON object.
///
/// Log in with ``RequestDecorator/basicAuth(user:password:)`` (app id and app secret). Only 200 counts as
/// success. The cipher is the platform's; it hides the content and does not show whether it was changed on
/// its way.
public struct SwiftyBeaverEncoding: RemoteEncoding {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private let key: Secret
    private let vector: @Sendable () -> [UInt8]

    /// Takes the encryption key.
    ///
    /// - Throws: `LogError` of code `.secret` unless the key has exactly 32 bytes.
    public init(encryptionKey: Secret) throws {
        try self.init(encryptionKey: encryptionKey) {
            var generator = SystemRandomNumberGenerator()
            return (0..<16).map { _ in Self.alphabet.randomElement(using: &generator) ?? 65 }
        }
    }

    init(encryptionKey: Secret, vector: @escaping @Sendable () -> [UInt8]) throws {
        guard encryptionKey.count == 32 else {
            throw LogError(
                .secret, "SwiftyBeaver's encryption key must have 32 bytes, not \(encryptionKey.count)")
        }
        key = encryptionKey
        self.vector = vector
    }

    /// `/api/entries/`.
    public var defaultPath: String { "/api/entries/" }
    /// False.
    public var allowsGzip: Bool { false }
    /// 200 alone is success; everything else keeps the batch.
    public var statusPolicy: StatusPolicy { .swiftyBeaver }
    /// `Accept: application/json`.
    public func headers(for batch: RemoteBatch) -> HTTPHeaders { ["Accept": "application/json"] }

    /// `{"payload":"…"}`: the initialization vector's 16 characters, then the Base64 of what is encrypted.
    ///
    /// - Throws: `LogError` when the encryption fails.
    public func encode(_ batch: RemoteBatch) throws -> [UInt8] {
        let vector = vector()
        let sealed = try AESCBC.encrypt(Self.plain(batch), key: key, vector: vector)
        var output = LogBuffer(capacity: sealed.count * 2)
        output.append("{\"payload\":" as StaticString)
        output.append(json: String(decoding: vector, as: UTF8.self) + Base64.encode(sealed))
        output.append(UInt8(ascii: "}"))
        return output.array
    }

    /// The 14 keys that the platform requires, with an empty text or 0 for what is not known or left out.
    private static func device(_ facts: LogMetadata) -> LogMetadata {
        var device: LogMetadata = [
            "os": "", "osVersion": "", "deviceName": "", "deviceModel": "", "hostName": "", "uuid": "",
            "firstStart": .double(0), "lastStart": .double(0), "starts": 0, "userName": "",
            "firstAppVersion": "", "appVersion": "", "firstAppBuild": 0, "appBuild": 0,
        ]
        device.merge(facts) { _, new in new }
        if facts["os"] == "macOS" { device["os"] = "OSX" }
        return device
    }

    /// The thread's name or the queue's label; `main` for the main thread, and nothing for a thread without a
    /// name.
    private static func thread(_ entry: RemoteEntry) -> String {
        if entry.queueLabel == "com.apple.main-thread" { return "main" }
        if let name = entry.threadName, !name.isEmpty { return name }
        let label = entry.queueLabel ?? ""
        return label.hasPrefix("com.apple.root.") ? "" : label
    }

    static func plain(_ batch: RemoteBatch) -> [UInt8] {
        var output = LogBuffer(capacity: 512 * batch.entries.count)
        output.append("{\"device\":" as StaticString)
        output.append(json: LogValue.object(device(batch.device)))
        output.append(",\"entries\":[" as StaticString)
        for (index, entry) in batch.entries.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"timestamp\":" as StaticString)
            output.append(json: LogValue.double(entry.time.secondsSince1970))
            JSONEntry.append("level", LevelNumbers.swiftyBeaver(entry.severity), to: &output)
            JSONEntry.append("message", entry.text, to: &output)
            JSONEntry.append("thread", thread(entry), to: &output)
            JSONEntry.append("fileName", entry.fileName, to: &output)
            JSONEntry.append("function", entry.function, to: &output)
            JSONEntry.append("line", entry.line, to: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append("]}" as StaticString)
        return output.array
    }
}

extension SwiftyBeaverEncoding {
    static let kind = EncodingKind("swiftyBeaver", make: nil) { settings in
        guard let key = settings.required("encryptionKey", .secret).content else { return nil }
        return settings.check("encryptionKey") { try SwiftyBeaverEncoding(encryptionKey: key.key()) }
    }
}
