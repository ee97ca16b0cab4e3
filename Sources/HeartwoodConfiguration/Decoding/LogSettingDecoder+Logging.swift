public import Heartwood

extension LogSettingDecoder where Value == LogLevelMask {
    /// Decodes levels: a threshold such as `"info"`, `"off"`, `"all"`, or a list of exactly these levels,
    /// `["error", "debug"]` or `"error|debug"`.
    public static var levels: LogSettingDecoder {
        LogSettingDecoder("levels", write: "info, off, all or a list of levels") { setting, path, collector in
            switch setting.value {
            case .string(let text) where !text.contains("|"):
                switch text.lowercased() {
                case "off", "none": return LogLevelMask.off
                case "all": return LogLevelMask.all
                default: break
                }
                return level(text, setting.place, path, collector).map { LogLevelMask(atLeast: $0) }
            case .string(let text):
                let names = text.split(separator: "|", omittingEmptySubsequences: false)
                return union(names.map { ($0.trimmingBlanks(), setting.place) }, path, collector)
            case .list(let elements):
                return union(elements.map { ($0.string ?? $0.shown, $0.place) }, path, collector)
            default:
                collector.add(
                    setting.place, path,
                    "\(setting.shown) is not a valid level; use info, off, all or a list of levels")
                return nil
            }
        }
    }

    private static func union(
        _ names: [(String, LogSettingLocation)], _ path: [String], _ collector: ProblemCollector
    ) -> LogLevelMask? {
        let levels = names.map { level($0.0, $0.1, path, collector) }
        if levels.contains(nil) { return nil }
        return levels.reduce(.off) { $0.union($1.map { [$0] } ?? .off) }
    }

    private static func level(
        _ name: String, _ place: LogSettingLocation, _ path: [String], _ collector: ProblemCollector
    ) -> LogLevel? {
        if let level = LogLevel(named: name) { return level }
        let names = LogLevel.standardLevels.map(\.name) + ["off", "all"]
        let hint = Spelling.hint(for: name, among: names)
        collector.add(place, path, "“\(name)” is not a valid level\(hint)")
        return nil
    }
}

extension LogSettingDecoder where Value == LogLevel {
    /// Decodes one level.
    public static var level: LogSettingDecoder {
        LogSettingDecoder("level", write: LogLevel.standardLevels.map(\.name).joined(separator: ", ")) {
            setting in
            setting.string.flatMap { LogLevel(named: $0) }
        }
    }
}

extension LogSettingDecoder where Value == OverflowPolicy {
    /// Decodes an overflow policy: `"dropNewest"`, `"dropOldest"`, `"block"`, `{"block": "250ms"}` or
    /// `{"dropBelow": "warning"}`.
    public static var overflow: LogSettingDecoder {
        LogSettingDecoder.choice([
            ("block", .standard), ("dropNewest", .dropNewest), ("dropOldest", .dropOldest),
        ]).or(
            .object("overflow") { settings in
                let time = settings.optional("block", .time)
                let level = settings.optional("dropBelow", .level)
                if settings.setting.members?.count != 1 {
                    settings.problem("use either {\"block\": \"250ms\"} or {\"dropBelow\": \"warning\"}")
                }
                return time.map { .block(upTo: $0) } ?? level.map { .dropBelow($0) }
            }, named: "overflow", when: { $0.members != nil })
    }
}

extension LogSettingDecoder where Value == SecretReference {
    /// Decodes a reference to a secret: `{"environment": "NAME"}` or `{"file": "/run/secrets/name"}`.
    ///
    /// A configuration never contains the secret itself. Plain text is rejected, and the error does not
    /// repeat it.
    public static var secret: LogSettingDecoder {
        LogSettingDecoder.object("secret") { settings in
            let variable = settings.optional("environment", .string)
            let file = settings.optional("file", .path)
            if settings.setting.members?.count != 1 {
                settings.problem("use either {\"environment\": \"NAME\"} or {\"file\": \"PATH\"}")
            }
            return variable.map { SecretReference(EnvironmentSecrets(), name: $0) }
                ?? file.map { SecretReference(FileSecrets(), name: $0) }
        }.or(
            LogSettingDecoder("secret", write: "an object") { setting, path, collector in
                collector.add(
                    setting.place, path,
                    "a configuration must not contain a secret; "
                        + "use {\"environment\": \"NAME\"} or {\"file\": \"PATH\"}"
                )
                return nil
            }, when: { $0.members == nil })
    }
}

extension LogSettingDecoder where Value == LogPrivacyPolicy {
    /// Decodes a privacy policy: `"reveal"`, `"redact"`, `"hash"`, `{"keyedHash": SECRET}` or `{"encrypt":
    /// SECRET}`.
    public static var privacy: LogSettingDecoder {
        LogSettingDecoder.choice([("reveal", .reveal), ("redact", .redact), ("hash", .hash)]).or(
            .object("privacy") { settings in
                let hash = settings.optional("keyedHash", .secret)
                let encrypt = settings.optional("encrypt", .secret)
                if settings.setting.members?.count != 1 {
                    settings.problem("use either {\"keyedHash\": SECRET} or {\"encrypt\": SECRET}")
                }
                let name = hash == nil ? "encrypt" : "keyedHash"
                guard let secret = hash ?? encrypt,
                    let key = settings.check(name, { try PrivacyKey(registered: secret.key()) })
                else { return nil }
                return hash == nil ? .encrypt(key) : .keyedHash(key)
            }, named: "privacy", when: { $0.members != nil })
    }
}

extension LogSettingDecoder where Value == LogTimeZone {
    /// Decodes a time zone: `"utc"`, `"local"`, an offset from UTC such as `"+02:00"`, or a region such as
    /// `"Europe/Paris"`, which on Linux needs a program that imports Foundation.
    public static var zone: LogSettingDecoder {
        LogSettingDecoder(
            "zone",
            write: "utc, local, an offset such as +02:00, or a region such as Europe/Paris, which requires "
                + "import Foundation"
        ) { $0.string.flatMap { LogTimeZone($0) } }
    }
}

extension LogSettingDecoder where Value == LogBuffer.Escaping {
    /// Decodes how control characters are written: `"escape"`, `"indent"` or `"none"`.
    public static var escaping: LogSettingDecoder {
        .choice([("escape", .escape), ("indent", .indent), ("none", .none)])
    }
}

extension LogSettingDecoder where Value == LogMetadata {
    /// Decodes an object of strings, numbers and Booleans.
    public static var metadata: LogSettingDecoder {
        LogSettingDecoder("metadata", write: "an object of strings, numbers and booleans") { setting in
            guard let members = setting.members else { return nil }
            var metadata = LogMetadata()
            for member in members {
                switch member.setting.value {
                case .null: continue
                case .bool(let flag): metadata[member.key] = .bool(flag)
                case .integer(let number): metadata[member.key] = .integer(number)
                case .number(let number): metadata[member.key] = .double(number)
                case .string(let text): metadata[member.key] = .string(text)
                case .list, .object: return nil
                }
            }
            return metadata
        }
    }
}

/// A reference to one secret of a provider.
public struct SecretReference: SecretFileProvider {
    private let provider: any SecretProvider
    /// The name of the secret at its provider.
    public let name: String

    /// Makes a reference to a secret.
    package init(_ provider: any SecretProvider, name: String) {
        self.provider = provider
        self.name = name
    }

    /// Reads the secret from its provider, under ``name``, whatever name is passed.
    ///
    /// - Returns: The secret.
    /// - Throws: The error of the provider, if it cannot read the secret or has none of that name.
    public func secret(named _: String = "") throws -> Secret { try provider.secret(named: name) }

    /// Reads the secret from its provider, under ``name``, to encrypt or to hash with.
    ///
    /// - Returns: The secret.
    /// - Throws: The error of the provider, if it cannot read the secret or has none of that name.
    public func key(named _: String = "") throws -> Secret { try provider.key(named: name) }

    package func path(of _: String) -> String? { provider.file(of: name) }
}
