import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

@Suite("The content of events", .inTurn) struct EventContentTests {
    private func data(_ body: (EventScope) throws -> Void) throws -> [String] {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let scope = try AuditLog(store).beginScope(activity: "a")
        try body(scope)
        try scope.commit()
        store.close()
        #expect(fixture.errors.withLock { $0 } == [])
        return try fixture.stored().compactMap { $0.text("data") }
    }

    @Test("A record has exactly the fields of the schema, and one for each metadata key")
    func schema() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(clock: ManualClock())
        let events = try AuditLog(store, metadata: ["zone": "north", "app": "shop"])
        events.recordEvent(activity: "closing", eventType: "till", data: #"{"sum": "12.50 €"}"#)
        events.recordEvent(activity: "nothing")
        #expect(await store.deliver(timeout: .testLimit))
        let body = try #require(fixture.server.stored.first).text
        let ids = try fixture.delivered().compactMap { $0["_id"] as? String }
        #expect(ids.count == 2 && ids.allSatisfy { EventID($0)?.description == $0 })
        #expect(ids[0] < ids[1])
        let end = #""timestamp":"2026-01-01T00:00:00.000Z","#
        let metadata = #","app":"shop","zone":"north"}"#
        #expect(
            body == #"[{"_id":"\#(ids[0])","event":"till","activity":"closing",\#(end)"#
                + #""data":"{\"sum\": \"12.50 €\"}"\#(metadata),"#
                + #"{"_id":"\#(ids[1])","event":null,"activity":"nothing",\#(end)"data":null\#(metadata)]"#)
    }

    @Test("A read becomes an event with the type and the full objects; reading nothing makes no event")
    func read() throws {
        let texts = try data { scope in
            scope.record(read: [Person("62b3", 1, "Anthony"), Person("62b4", 2, "Zoë")])
            scope.record(read: [Person]())
            scope.record(read: Note(id: 7, text: "x"))
        }
        let person = #""_partition":"","employeeId":"#
        #expect(
            texts == [
                #"{"type":"Person","value":[{"_id":"62b3",\#(person)1,"name":"Anthony","userId":null},"#
                    + #"{"_id":"62b4",\#(person)2,"name":"Zoë","userId":null}]}"#,
                #"{"type":"Note","value":[{"id":7,"text":"x"}]}"#,
            ])
    }

    @Test("The published example of a write, byte for byte but for the order of keys")
    func write() throws {
        let id = "62b38b3c10846041166f5deb"
        let texts = try data { $0.record(old: Person(id, 2, "Anthony"), new: Person(id, 2, "Tony")) }
        let published =
            #"{"Person":{"modifications":[{"newValue":{"name":"Tony"},"oldValue":{"_id":"\#(id)","#
            + #""_partition":"","employeeId":2,"name":"Anthony","userId":null}}]}}"#
        #expect(texts.count == 1)
        #expect(try texts.map(canonical) == [canonical(published)])
    }

    @Test(
        "A transaction may touch several types; kinds of changes that there were none of are left out")
    func severalTypes() throws {
        let texts = try data { scope in
            scope.transaction { changes in
                changes.record(old: nil, new: Note(id: 1, text: "new"))
                changes.record(old: Person("a", 1, "A"), new: nil)
                changes.record(
                    old: [Note(id: 2, text: "b")], new: [Note(id: 2, text: "c"), Note(id: 3, text: "d")])
            }
        }
        #expect(
            texts == [
                #"{"Note":{"insertions":[{"id":1,"text":"new"},{"id":3,"text":"d"}],"#
                    + #""modifications":[{"oldValue":{"id":2,"text":"b"},"newValue":{"text":"c"}}]},"#
                    + #""Person":{"deletions":[{"_id":"a","_partition":"","employeeId":1,"name":"A","userId":null}]}}"#
            ])
    }

    // MARK: RE19

    private struct Step: Sendable {
        var old: Int?
        var new: Int?
    }

    private static func snapshot(_ value: Int?) -> ObjectSnapshot? {
        value.map { value in
            ObjectSnapshot(
                identity: .init(type: "T", id: 1), value: .object(["id": 1, "v": .integer(Int64(value))]))
        }
    }

    @Test(
        "The steps of a transaction are folded into what was before and what is after",
        arguments: [
            ([(nil, 1), (1, nil)], "nothing"), ([(nil, 1), (1, 2)], "insertion 2"),
            ([(nil, 1), (1, 2), (2, 3)], "insertion 3"), ([(1, 2), (2, nil)], "deletion 1"),
            ([(1, 2), (2, 3)], "modification 1 3"), ([(1, 2), (2, 1)], "nothing"), ([(1, 1)], "nothing"),
            ([(1, nil), (nil, 1)], "nothing"), ([(1, nil), (nil, 2)], "modification 1 2"),
            ([(nil, 1), (1, nil), (nil, 2)], "insertion 2"), ([(1, nil)], "deletion 1"),
            ([(nil, nil)], "nothing"),
            ([], "nothing"),
        ] as [([(Int?, Int?)], String)])
    func folding(steps: [(Int?, Int?)], expected: String) {
        var fold = ChangeFold()
        for (old, new) in steps { fold.record(old: Self.snapshot(old), new: Self.snapshot(new)) }
        func value(_ object: LogValue) -> String {
            if case .object(let fields) = object, let value = fields["v"] { "\(value)" } else { "?" }
        }
        let found = fold.changes.map { change in
            switch change.change {
            case .insertion(let new): "insertion \(value(new))"
            case .deletion(let old): "deletion \(value(old))"
            case .modification(let old, let new): "modification \(value(old)) \(value(new))"
            }
        }
        #expect(found == (expected == "nothing" ? [] : [expected]))
    }

    @Test("Two states of a collection are compared by the objects' ids, and unchanged fields stay out")
    func collections() throws {
        let old = [Person("a", 1, "A"), Person("b", 2, "B"), Person("c", 3, "C")]
        var new = [Person("c", 3, "C"), Person("b", 20, "B"), Person("d", 4, "D")]
        let texts = try data { scope in
            scope.record(old: old, new: new)
            scope.record(old: new, new: new)
            scope.transaction { _ in }
            let before = new[1]
            new[1].userID = "u"
            scope.record(old: before, new: new[1])
            scope.record(old: Person("x", 1, "X"), new: Person("y", 1, "X"))
        }
        func json(_ person: Person) throws -> String {
            String(decoding: try JSONEncoder().encode(person), as: UTF8.self)
                .replacingOccurrences(of: "}", with: person.userID == nil ? ",\"userId\":null}" : "}")
        }
        #expect(
            try texts.map(canonical) == [
                canonical(
                    "{\"Person\":{\"insertions\":[\(json(new[2]))],\"modifications\":[{\"newValue\":{\"employeeId\":20},"
                        + "\"oldValue\":\(json(old[1]))}],\"deletions\":[\(json(old[0]))]}}"),
                canonical(
                    "{\"Person\":{\"modifications\":[{\"newValue\":{\"userId\":\"u\"},"
                        + "\"oldValue\":\(json(Person("b", 20, "B")))}]}}"),
                canonical(
                    "{\"Person\":{\"insertions\":[\(json(Person("y", 1, "X")))],"
                        + "\"deletions\":[\(json(Person("x", 1, "X")))]}}"),
            ])
    }

    @Test("An embedded object that is gone is null in the parent's modification, encoded or left out")
    func embeddedDeletion() throws {
        struct Owner: EventObject {
            struct Address: Encodable { var city: String }
            var id: Int
            var address: Address?
        }
        struct Sparse: EventObject {
            enum CodingKeys: CodingKey { case id, address }
            var id: Int
            var address: String?
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                if let address { try container.encode(address, forKey: .address) }
            }
        }
        let texts = try data { scope in
            scope.record(old: Owner(id: 1, address: .init(city: "Rome")), new: Owner(id: 1))
            scope.record(old: Sparse(id: 1, address: "Rome"), new: Sparse(id: 1))
        }
        #expect(
            texts == [
                #"{"Owner":{"modifications":[{"oldValue":{"id":1,"address":{"city":"Rome"}},"newValue":{"address":null}}]}}"#,
                #"{"Sparse":{"modifications":[{"oldValue":{"id":1,"address":"Rome"},"newValue":{"address":null}}]}}"#,
            ])
    }

    @Test(
        "Where reads do not fold, each becomes an event as it is recorded; reading nothing makes no event")
    func reads() throws {
        let note = Note(id: 1, text: "x")
        let texts = try data { scope in
            scope.record(read: note)
            scope.record(read: note)
            scope.record(old: note, new: note)
            scope.record(read: [Note]())
            scope.record(read: [note, note])
        }
        let json = #"{"id":1,"text":"x"}"#
        #expect(
            texts == [
                #"{"type":"Note","value":[\#(json)]}"#, #"{"type":"Note","value":[\#(json)]}"#,
                #"{"type":"Note","value":[\#(json),\#(json)]}"#,
            ])
    }

    // MARK: RE21

    struct Everything: EventObject {
        struct Embedded: Encodable { var x = 1 }
        struct Other: EventObject {
            let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            var hidden = true
        }
        var id = 1
        var null: String?
        var bool = true
        var int8 = Int8.min
        var uint = UInt64.max
        var double = 1.5
        var float = Float(0.1)
        var nan = [Double.nan, .infinity]
        var date = Date(timeIntervalSince1970: 0.0015)
        var data = Data([1, 2, 3])
        var uuid = UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var objectID = EventID("62b38b3c10846041166f5deb")
        var decimal = Decimal(string: "0.10")
        var list = ["b", "a", "b"]
        var set: Set = [3, 1, 2]
        var dates = [Date(timeIntervalSince1970: 0)]
        var bytes = [Data(), Data()]
        var dictionary = ["b": 2, "a": 1]
        var embedded = Embedded()
        var link = Other()
        var links: [Other]? = [Other()]
        var url = URL(string: "https://example.com/a")
        var nested: [String: [Embedded]] = ["k": [Embedded()]]
    }

    @Test("Every kind of value has its JSON, in the order of the properties")
    func mapping() throws {
        let link = #""01020304-0506-0708-090a-0b0c0d0e0f10""#
        let texts = try data { $0.record(read: Everything()) }
        #expect(
            texts == [
                #"{"type":"Everything","value":[{"id":1,"null":null,"bool":true,"int8":-128,"#
                    + #""uint":18446744073709551615,"double":1.5,"float":0.1,"nan":["nan","inf"],"#
                    + #""date":"1970-01-01T00:00:00.001Z","uuid":"ab000000-0000-0000-0000-000000000000","#
                    + #""objectID":"62b38b3c10846041166f5deb","decimal":"0.1","list":["b","a","b"],"set":[1,2,3],"#
                    + #""dates":["1970-01-01T00:00:00.000Z"],"bytes":[],"dictionary":{"a":1,"b":2},"#
                    + #""embedded":{"x":1},"link":\#(link),"links":[\#(link)],"url":"https://example.com/a","#
                    + #""nested":{"k":[{"x":1}]}}]}"#
            ])
    }

    final class Knot: Encodable {
        var next: Knot?
    }

    @Test("What is nested deeper than 32 levels, a circle for instance, ends in a text that says so")
    func circle() throws {
        struct Holder: EventObject {
            var id = 1
            var knot: Knot
        }
        let knot = Knot()
        knot.next = knot
        let texts = try onSmallStack { try data { $0.record(read: Holder(knot: knot)) } }
        knot.next = nil
        let depth = texts.first.map { $0.split(separator: "\"next\":").count - 1 }
        #expect(depth == 31 && texts.first?.contains("…[nested deeper than 32]") == true)
    }

    @Test("Types that encode by hand, with a super-object or by nested containers, lose nothing")
    func byHand() throws {
        class Base: Encodable { var a = 1 }
        final class Derived: Base {
            enum Keys: CodingKey { case b, list, object }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("x", forKey: .b)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                try list.encodeNil()
                var inner = list.nestedUnkeyedContainer()
                try inner.encode(UInt8(2))
                #expect(list.count == 3)
                var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
                try object.encodeNil(forKey: .b)
                try super.encode(to: container.superEncoder())
            }
        }
        let value = try ObjectEncoder.value(of: Derived())
        #expect(value.eventJSON == #"{"b":"x","list":[1,null,[2]],"object":{"b":null},"super":{"a":1}}"#)
    }

    // MARK: RE22

    struct Custom: EventObject, CustomEventRepresentable {
        struct Failure: Error {}
        var id: Int
        var text: String?
        func customEventRepresentation() throws -> String {
            guard let text else { throw Failure() }
            return text
        }
    }

    @Test("An object's own representation replaces its JSON, at the top and inside of others")
    func representation() throws {
        struct Box: EventObject {
            var id = 1
            var custom = Custom(id: 2, text: " [1, {\"a\" : null}] ")
        }
        let texts = try data { scope in
            scope.record(read: Custom(id: 1, text: "\"secret\""))
            scope.record(read: Box())
            scope.record(old: Custom(id: 1, text: "{\"a\":1}"), new: Custom(id: 1, text: "{\"a\": 1}"))
            scope.record(old: Custom(id: 1, text: "1"), new: Custom(id: 1, text: "2"))
        }
        #expect(
            texts == [
                #"{"type":"Custom","value":["secret"]}"#,
                #"{"type":"Box","value":[{"id":1,"custom":[1,{"a":null}]}]}"#,
                #"{"Custom":{"modifications":[{"oldValue":1,"newValue":2}]}}"#,
            ])
    }

    @Test(
        "Where it throws or is no JSON the commit fails with that error, and nothing of the scope is stored",
        arguments: [nil, "", "{", "[1,]", "{\"a\":1} x", "nul"])
    func badRepresentation(text: String?) async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "bad")
        scope.record(read: Note(id: 1, text: "before"))
        scope.record(old: nil, new: Custom(id: 1, text: text))
        scope.record(read: Note(id: 2, text: "after"))
        let good = events.beginScope(activity: "good")
        good.record(read: Note(id: 3, text: "good"))
        do {
            try await scope.commit()
            Issue.record("the commit has not failed")
        } catch {
            #expect(text == nil ? error is Custom.Failure : (error as? LogError)?.code == .invalidEvent)
        }
        try await good.commit()
        store.close()
        #expect(try fixture.stored().map { $0.text("activity") } == ["good"])
    }

    @Test("Of several failures in a transaction, the first is the reason why the commit fails")
    func firstFailure() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let scope = try AuditLog(store).beginScope(activity: "bad")
        scope.transaction { changes in
            changes.record(old: nil, new: Custom(id: 1, text: nil))
            changes.record(old: nil, new: Custom(id: 2, text: "{"))
        }
        await #expect(throws: Custom.Failure.self) { try await scope.commit() }
        store.close()
        #expect(try fixture.stored().isEmpty)
    }

    // MARK: RE23

    @Test(
        "What is too much for one event is divided among several, each of them whole JSON and in the limit"
    )
    func dividing() throws {
        let values = (0..<10).map { LogValue.object(["id": .integer($0), "text": "0123456789"]) }
        let texts = values.map(\.eventJSON)
        func payload(_ limit: Int) -> EventPayload { EventPayload(limit: ByteCount(limit)) }
        let reads = try payload(70).read("T", texts)
        #expect(reads.count == 10)
        #expect(try payload(120).read("T", texts).count == 4)
        #expect(try payload(10_000).read("T", texts).count == 1)
        #expect(throws: LogError.self) { try payload(40).read("T", texts) }
        let changes = values.enumerated().map { index, value in
            (
                type: index < 5 ? "A" : "B",
                change: index % 2 == 0 ? .insertion(value) : ChangeFold.Change.deletion(value)
            )
        }
        #expect(throws: LogError.self) { try payload(50).write(changes) }
        #expect(try payload(10_000).write(changes).count == 1)
        for limit in 70..<500 {
            for texts in [try payload(limit).read("T", texts), try payload(limit).write(changes)] {
                let ids = try texts.flatMap { text in
                    #expect(throws: Never.self) { try canonical(text) }
                    #expect(text.utf8.count <= limit)
                    return try text.matches(of: /"id":(\d)/).map { try #require(Int($0.1)) }
                }
                #expect(ids.sorted() == Array(0..<10))
            }
        }
    }
}
