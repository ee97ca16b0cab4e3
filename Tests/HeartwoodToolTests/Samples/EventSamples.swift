import Heartwood
import HeartwoodEvents
import HeartwoodHTTP

// The code in Docs/Events.md and in the comments of HeartwoodEvents, word for word; `SampleTests` compares them.

// sample: Docs/Events.md
enum Visit: String { case page = "page_id", index, loggedIn, detail }
enum Detail: String { case battery, networks }
// end

func typedEventsSample() throws {
    // sample: Docs/Events.md
    let store = try EventStore("https://collector.example.com/events", directory: "/var/lib/app/events")
    let visits = try EventLog<Visit>(store)
    visits.append {
        $0[.page] = "/home"
        $0[.index] = 3
        $0[.loggedIn] = true
        $0[.detail] = EventRecord<Detail> {
            $0[.battery] = 0.83
            $0[.networks] = ["wifi", "vpn"]
        }
    }
    // end
}

// sample: Docs/Events.md
enum Screen: String { case name, details }
// end

func eventFieldsSample(_ isDark: Bool, _ dictionary: [String: Any]) throws {
    // sample: Docs/Events.md
    var screen = EventRecord<Screen>()
    screen[.details] = ["width": 390, "unit": "pt", "isDark": isDark]
    screen[.details] = ["size": .object(["width": 390, "unit": "pt"]), "name": "cart"]
    screen[.details] = try LogMetadata(checking: dictionary)
    // end
}

func completionSample(visits: EventLog<Visit>) {
    // sample: Docs/Events.md
    let event = EventRecord<Visit> { $0[.page] = "/checkout" }
    visits.append(event) { error in
        if let error { logError("not recorded: \(error)") }
    }
    // end
}

func storeSettingsSample(_ store: EventStore) async {
    // sample: Docs/Events.md
    store.uploader.decorators = [.bearer(named: "EVENT_TOKEN", from: EnvironmentSecrets())]
    store.uploader.sendInterval = .seconds(10)
    store.messageLevel = .notice
    let isDelivered = await store.deliver(timeout: .seconds(30))
    store.close()
    // end
    _ = isDelivered
}

// sample: Docs/Events.md
struct Person: EventObject {
    var id: Int
    var name: String
    var phone: String?
}
// end

func scopeSample(_ store: EventStore) async throws {
    // sample: Docs/Events.md
    let audit = try AuditLog(store, metadata: ["user": "anna"])
    let scope = audit.beginScope(activity: "change of name")
    scope.record(read: [Person(id: 2, name: "Anthony")])
    scope.record(old: Person(id: 2, name: "Anthony"), new: Person(id: 2, name: "Tony"))
    try await scope.commit()
    // end
}

func transactionOnSample(_ scope: EventScope, _ people: inout [Person]) {
    // sample: Sources/HeartwoodEvents/Scopes/EventScope.swift
    scope.transaction(on: &people) { people in
        people[0].name = "Tony"
        people.removeLast()
    }
    // end
}

func transactionSample(_ scope: EventScope) {
    // sample: Docs/Events.md
    scope.transaction { changes in
        changes.record(old: nil, new: Person(id: 3, name: "Berta"))
        changes.record(old: Person(id: 4, name: "Carl"), new: nil)
    }
    // end
}

func changesSample(_ scope: EventScope, _ people: inout [Person]) {
    // sample: Docs/Events.md
    scope.transaction(on: &people) { people in
        people[0].name = "Tony"
        people.removeLast()
    }
    // end
}

func linksSample(_ scope: EventScope, _ orders: [Person]) {
    // sample: Docs/Events.md
    scope.record(read: orders, expanding: ["buyer", "positions.product"])
    // end
}

// sample: Docs/Events.md
extension Person: CustomEventRepresentable {
    func customEventRepresentation() -> String { "{\"person\":\(id)}" }
}
// end

func customEventSample(_ audit: AuditLog) throws {
    // sample: Docs/Events.md
    audit.recordEvent(activity: "login", eventType: "failure", data: "third attempt") { error in
        if let error { logError("not audited: \(error)") }
    }
    // end
    // sample: Docs/Events.md
    try audit.updateMetadata(["user": "berta", "till": "3"])
    // end
}

func eventLogSample() throws {
    struct Person: EventObject { var id = 1 }
    let (person, moved) = (Person(), Person())
    // sample: Sources/HeartwoodEvents/EventLog.swift
    enum Visit: String { case page = "page_id", index, loggedIn }

    let store = try EventStore("https://collector.example.com/events", directory: "/var/lib/app/events")
    let events = try EventLog<Visit>(store, metadata: ["device": "till 1"])

    events.append {
        $0[.page] = "/home"
        $0[.index] = 3
    }

    let scope = events.beginScope(activity: "change of address")
    scope.record(read: [person])
    scope.record(old: person, new: moved)
    try scope.commit()
    // end
}

func eventStoreSample() throws {
    // sample: Sources/HeartwoodEvents/Store/EventStore.swift
    let store = try EventStore(
        "https://collector.example.com/events", directory: "/var/lib/app/events",
        settings: EventSettings(user: "anna", prefix: "audit"))
    store.uploader.decorators = [.bearer(named: "EVENT_TOKEN", from: EnvironmentSecrets())]
    // end
}

func eventRecordSample() {
    // sample: Sources/HeartwoodEvents/Values/EventRecord.swift
    enum Detail: String { case battery, network }

    let detail = EventRecord<Detail> {
        $0[.battery] = 0.83
        $0[.network] = ["wifi", "vpn"]
    }
    // end
    _ = detail
}

func eventObjectSample() {
    struct Manager: EventObject { var id = 1 }
    struct Address: Encodable {}
    // sample: Sources/HeartwoodEvents/Objects/EventObject.swift
    struct Person: EventObject {
        var id: Int
        var name: String
        var manager: Manager?  // an object itself: recorded as its id
        var address: Address  // just `Encodable`: recorded as an object
    }
    // end
    _ = Person.self
}

func eventSettingsSample() throws {
    // sample: Sources/HeartwoodEvents/Store/EventSettings.swift
    var settings = EventSettings(user: "anna", prefix: "audit")
    settings.upload.sendInterval = .seconds(10)
    let store = try EventStore(
        "https://collector.example.com/events", directory: "/var/lib/app/events", settings: settings)
    // end
    _ = store
}

func fieldsSample(_ visit: inout EventRecord<Visit>, _ dictionary: [String: Any]) throws {
    // sample: Sources/HeartwoodEvents/Values/EventRecord.swift
    visit[.detail] = ["battery": 0.83, "screen": .object(["width": 390, "unit": "pt"])]
    // end
    // sample: Sources/HeartwoodEvents/Values/LogMetadata+Checking.swift
    visit[.detail] = try LogMetadata(checking: dictionary)
    // end
}
