import Heartwood

/// The JSON texts of read and write events; what is too much for one event is divided among several.
struct EventPayload {
    /// The most bytes of an event's text.
    let limit: ByteCount

    /// `{"type":"Person","value":[{…},{…}]}`; none for no objects.
    ///
    /// - Throws: `LogError` of code `.invalidEvent` when one object is larger than the limit.
    func read(_ type: String, _ values: [String]) throws -> [String] {
        let frame = 24 + LogValue.string(type).eventJSON.utf8.count
        var texts: [String] = []
        var part: [String] = []
        var size = frame
        for value in values {
            try check(frame + value.utf8.count)
            if !part.isEmpty && size + value.utf8.count + 1 > limit.bytes {
                texts.append(Self.render(type, part))
                (part, size) = ([], frame)
            }
            part.append(value)
            size += value.utf8.count + 1
        }
        return part.isEmpty ? texts : texts + [Self.render(type, part)]
    }

    /// `{"Person":{"insertions":[…],"modifications":[{"oldValue":{…},"newValue":{…}}],"deletions":[…]}}`;
    /// what is empty is left out, and all of it where there are no changes.
    ///
    /// - Throws: `LogError` of code `.invalidEvent` when one change is larger than the limit.
    func write(_ changes: [(type: String, change: ChangeFold.Change)]) throws -> [String] {
        var texts: [String] = []
        var part: [Item] = []
        var lists: Set<[String]> = []
        var size = 2
        for (type, change) in changes {
            let (kind, json) = Self.describe(change)
            // The names of the type and the kind, and what is around a list, once for each.
            let frame = LogValue.string(type).eventJSON.utf8.count + kind.rawValue.utf8.count + 12
            try check(json.utf8.count + frame + 2)
            let list = [type, kind.rawValue]
            let added = json.utf8.count + 1 + (lists.contains(list) ? 0 : frame)
            if !part.isEmpty && size + added > limit.bytes {
                texts.append(Self.render(part))
                (part, lists, size) = ([], [], 2)
            }
            size += json.utf8.count + 1 + (lists.insert(list).inserted ? frame : 0)
            part.append((type, kind, json))
        }
        return part.isEmpty ? texts : texts + [Self.render(part)]
    }

    private typealias Item = (type: String, kind: Kind, json: String)

    private enum Kind: String, CaseIterable { case insertions, modifications, deletions }

    private func check(_ size: Int) throws {
        if size > limit.bytes { throw StoredEvent.tooLarge(size, limit) }
    }

    private static func describe(_ change: ChangeFold.Change) -> (Kind, String) {
        switch change {
        case .insertion(let value): (.insertions, value.eventJSON)
        case .deletion(let value): (.deletions, value.eventJSON)
        case .modification(let old, let new):
            (.modifications, LogValue.object(["oldValue": old, "newValue": new]).eventJSON)
        }
    }

    private static func render(_ type: String, _ values: [String]) -> String {
        "{\"type\":\(LogValue.string(type).eventJSON),\"value\":[\(values.joined(separator: ","))]}"
    }

    private static func render(_ part: [Item]) -> String {
        var types: [String] = []
        var lists: [String: [Kind: [String]]] = [:]
        for (type, kind, json) in part {
            if lists[type] == nil { types.append(type) }
            lists[type, default: [:]][kind, default: []].append(json)
        }
        let members = types.map { type in
            let kinds = Kind.allCases.compactMap { kind in
                lists[type]?[kind].map { "\"\(kind.rawValue)\":[\($0.joined(separator: ","))]" }
            }
            return LogValue.string(type).eventJSON + ":{" + kinds.joined(separator: ",") + "}"
        }
        return "{" + members.joined(separator: ",") + "}"
    }
}
