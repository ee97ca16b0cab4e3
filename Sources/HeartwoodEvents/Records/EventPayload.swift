import Heartwood

/// The JSON texts of read and write events; what is too much for one event is divided among several.
struct EventPayload {
    /// The soft limit of an event's text.
    static let budget = 512 * 1024

    var budget = Self.budget

    /// `{"type":"Person","value":[{…},{…}]}`; none for no objects.
    func read(_ type: String, _ values: [LogValue]) -> [String] {
        divided(values.map(\.eventJSON)) { "{\"type\":\(LogValue.string(type).eventJSON),\"value\":[\($0)]}" }
    }

    /// `{"Person":{"insertions":[…],"modifications":[{"oldValue":{…},"newValue":{…}}],"deletions":[…]}}`; what is empty
    /// is left out, and all of it where there are no changes.
    func write(_ changes: [(type: String, change: ChangeFold.Change)]) -> [String] {
        var texts: [String] = []
        var part: [(type: String, kind: Kind, json: String)] = []
        var size = 0
        for (type, change) in changes {
            let (kind, json) = Self.describe(change)
            if size > 0 && size + json.utf8.count > budget {
                texts.append(Self.render(part))
                (part, size) = ([], 0)
            }
            part.append((type, kind, json))
            size += json.utf8.count
        }
        return part.isEmpty ? texts : texts + [Self.render(part)]
    }

    private enum Kind: String, CaseIterable { case insertions, modifications, deletions }

    private static func describe(_ change: ChangeFold.Change) -> (Kind, String) {
        switch change {
        case .insertion(let value): (.insertions, value.eventJSON)
        case .deletion(let value): (.deletions, value.eventJSON)
        case .modification(let old, let new):
            (.modifications, LogValue.object(["oldValue": old, "newValue": new]).eventJSON)
        }
    }

    private static func render(_ part: [(type: String, kind: Kind, json: String)]) -> String {
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

    private func divided(_ items: [String], _ render: (String) -> String) -> [String] {
        var texts: [String] = []
        var part: [String] = []
        var size = 0
        for item in items {
            if size > 0 && size + item.utf8.count > budget {
                texts.append(render(part.joined(separator: ",")))
                (part, size) = ([], 0)
            }
            part.append(item)
            size += item.utf8.count
        }
        return part.isEmpty ? texts : texts + [render(part.joined(separator: ","))]
    }
}
