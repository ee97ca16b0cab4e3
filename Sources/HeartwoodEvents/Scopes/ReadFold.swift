import Heartwood

/// Reads of one type in a row, which become one event: that of the first of them.
///
/// | what is read next | what happens |
/// |---|---|
/// | an object of the same type | it joins the event |
/// | an object that is in the event already, as it is there | nothing |
/// | an object that is in the event, and is different now | a new event: it was changed meanwhile |
/// | an object of another type, or more than ``limit`` | a new event |
/// | nothing more: a change is recorded, or the scope ends | the event is complete |
struct ReadFold {
    /// An object that was read.
    struct Object: Equatable {
        let identity: ObjectSnapshot.Identity
        let json: String
    }

    /// What is complete, and can be stored.
    struct Event: Equatable {
        let type: String
        let time: LogTimestamp
        let values: [String]
    }

    /// Beyond so many bytes an event takes nothing more, so that an open scope takes little memory.
    static let limit = 512 * 1024

    private var type = ""
    private var time = LogTimestamp(nanoseconds: 0)
    private var values: [String] = []
    private var known: [ObjectSnapshot.Identity: String] = [:]
    private var size = 0

    /// Where in memory the objects are.
    var place: UnsafeRawPointer? { values.withUnsafeBytes(\.baseAddress) }

    /// Takes objects that were read together; returns the event before, where they do not join it.
    mutating func add(_ objects: [Object], of type: String, at time: LogTimestamp) -> Event? {
        let new = objects.filter { known[$0.identity] != $0.json || type != self.type }
        if type == self.type && new.isEmpty { return nil }
        let bytes = new.reduce(0) { $0 + $1.json.utf8.count }
        let joins =
            type == self.type && !values.isEmpty && size + bytes <= Self.limit
            && !new.contains { known[$0.identity] != nil }
        let before = joins ? nil : take()
        if values.isEmpty { (self.type, self.time) = (type, time) }
        for object in joins ? new : objects where known[object.identity] != object.json {
            known[object.identity] = object.json
            values.append(object.json)
            size += object.json.utf8.count
        }
        return before
    }

    /// Completes the event; nil where nothing was read.
    mutating func take() -> Event? {
        guard !values.isEmpty else { return nil }
        defer { self = ReadFold() }
        return Event(type: type, time: time, values: values)
    }
}
