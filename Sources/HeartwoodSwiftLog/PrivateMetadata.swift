#if SwiftLog
public import Heartwood
public import Logging

/// A private value in metadata of swift-log, for ``Logging/Logger/MetadataValue/private(_:_:)``.
///
/// Other handlers of swift-log see its description, `<private>`.
struct PrivateMetadata: CustomStringConvertible, Sendable {
    let value: LogValue
    let privacy: LogPrivacy

    var description: String { LogPrivacyPolicy.privateText }
}

extension Logger.MetadataValue {
    /// Makes a private value: `metadata: ["email": .private(email)]`.
    ///
    /// ``HeartwoodLogHandler`` writes it as its ``HeartwoodLogHandler/privacyPolicy`` says, other handlers as
    /// `<private>`. It works with every version of swift-log.
    ///
    /// - Parameters:
    ///   - value: The value; it is described at once unless it is a number, a Boolean, a date, a UUID or a
    ///     `LogValue`.
    ///   - privacy: Who may see it; `private` unless given. A sensitive value is replaced here and now.
    /// - Returns: The value.
    public static func `private`(
        _ value: some CustomStringConvertible, _ privacy: LogPrivacy = .private
    ) -> Logger.MetadataValue {
        let kept: LogValue =
            privacy == .sensitive ? .string(LogPrivacyPolicy.sensitiveText) : LogValue(describing: value)
        return .stringConvertible(PrivateMetadata(value: kept, privacy: privacy))
    }
}

/// Converts metadata, and replaces what is private.
struct MetadataConversion {
    let policy: LogPrivacyPolicy
    /// The privacy of a value that does not say it itself; nil if all are public.
    let privacy: (@Sendable (Logger.MetadataValue) -> LogPrivacy)?

    /// The fields, in the order of their names.
    func fields(_ metadata: Logger.Metadata, depth: Int = 0) -> LogMetadata {
        LogMetadata(metadata.sorted { $0.key < $1.key }.map { ($0.key, value($0.value, depth: depth)) })
    }

    private func value(_ value: Logger.MetadataValue, depth: Int) -> LogValue {
        if case .stringConvertible(let convertible) = value, let own = convertible as? PrivateMetadata {
            return replaced(own.value, own.privacy)
        }
        let privacy = privacy?(value) ?? .public
        if privacy != .public { return replaced(LogValue(value), privacy) }
        switch value {
        case .array where depth == LogValue.maximumDepth, .dictionary where depth == LogValue.maximumDepth:
            return .cut
        case .array(let values): return .array(values.map { self.value($0, depth: depth + 1) })
        case .dictionary(let fields): return .object(self.fields(fields, depth: depth + 1))
        default: return LogValue(value)
        }
    }

    /// What is written in place of a value.
    private func replaced(_ value: LogValue, _ privacy: LogPrivacy) -> LogValue {
        switch (privacy, policy) {
        case (.public, _): value
        case (.sensitive, _): .string(LogPrivacyPolicy.sensitiveText)
        case (_, .reveal): value
        // Of a text, so that equal values have equal hashes, whatever their type.
        default: .string(LogMessage("\(value.description, privacy: privacy)").text(privacy: policy))
        }
    }
}
#endif
