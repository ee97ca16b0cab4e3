import Heartwood

/// What an object was at a moment: nothing changes it any more.
struct ObjectSnapshot: Sendable, Equatable {
    /// By what an object is known among all.
    struct Identity: Hashable, Sendable {
        let type: String
        let id: LogValue
    }

    let identity: Identity
    let value: LogValue

    init(identity: Identity, value: LogValue) {
        self.identity = identity
        self.value = value
    }

    /// Takes an object.
    ///
    /// - Throws: what its encoding throws; `LogError` of code `.invalidEvent` for a representation that is no
    ///   JSON.
    init(_ object: some EventObject, expanding links: LinkExpansion = .none) throws {
        identity = Identity(type: type(of: object).eventType, id: try ObjectEncoder.value(of: object.id))
        value = try ObjectEncoder.object(object, links)
    }

    /// The fields of `self` that `older` has not, or has otherwise; null for those that are gone; nil where
    /// all is equal.
    ///
    /// A representation that is no object has no fields: it is given whole.
    func changes(since older: ObjectSnapshot) -> LogValue? {
        guard value != older.value else { return nil }
        guard case .object(let new) = value, case .object(let old) = older.value else { return value }
        var changed = LogMetadata(new.filter { old[$0.key] != $0.value }.map { ($0.key, $0.value) })
        for (key, _) in old where new[key] == nil { changed[key] = .null }
        return changed.isEmpty ? nil : .object(changed)
    }
}
