import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// What is recorded by itself: reads in a row, links, and changes of a collection.
@Suite("Recording of reads and changes", .inTurn) struct RecordingTests {
    private func data(_ body: (EventScope) throws -> Void) throws -> [String] {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true, foldsReads: true)
        let scope = try AuditLog(store).beginScope(activity: "a")
        try body(scope)
        try scope.commit()
        store.close()
        #expect(fixture.errors.withLock { $0 } == [])
        return try fixture.stored().compactMap { $0.text("data") }
    }

    private func note(_ id: Int, _ text: String = "x") -> Note { Note(id: id, text: text) }
    private func read(_ ids: Int...) -> String {
        let values = ids.map { #"{"id":\#($0),"text":"x"}"# }.joined(separator: ",")
        return #"{"type":"Note","value":[\#(values)]}"#
    }

    @Test("Reads of one type in a row are one event, without the objects that come again as they are")
    func folds() throws {
        let texts = try data { scope in
            scope.record(read: note(1))
            scope.record(read: note(1))
            scope.record(read: [Note]())
            scope.record(read: [note(2), note(1), note(3), note(3)])
        }
        #expect(texts == [read(1, 2, 3)])
    }

    @Test(
        "Another type, an object that has changed, a change and a commit end the row; no change does not"
    )
    func ends() throws {
        let texts = try data { scope in
            scope.record(read: note(1))
            scope.record(read: Person("a", 1, "Ann"))
            scope.record(read: note(1))
            scope.record(old: note(1), new: note(1))
            scope.record(read: note(2))
            scope.record(read: note(1, "changed"))
            scope.record(old: nil, new: note(4))
            scope.record(read: note(1, "changed"))
        }
        let person = #"{"_id":"a","_partition":"","employeeId":1,"name":"Ann","userId":null}"#
        let changed = #"{"type":"Note","value":[{"id":1,"text":"changed"}]}"#
        #expect(
            texts == [
                read(1), #"{"type":"Person","value":[\#(person)]}"#, read(1, 2), changed,
                #"{"Note":{"insertions":[{"id":4,"text":"x"}]}}"#, changed,
            ])
    }

    @Test("Each scope has its own row, from its beginning, at the time of the first read in it")
    func scopes() throws {
        let clock = ManualClock()
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true, foldsReads: true, clock: clock)
        let events = try AuditLog(store)
        let outer = events.beginScope(activity: "outer")
        outer.record(read: note(1))
        clock.advance(by: .seconds(1))
        let inner = events.beginScope(activity: "inner")
        outer.record(read: note(2))
        clock.advance(by: .seconds(1))
        inner.record(read: note(3))
        let cancelled = events.beginScope(activity: "cancelled")
        cancelled.record(read: note(4))
        try cancelled.cancel()
        try inner.commit()
        try outer.commit()
        store.close()
        let stored = try fixture.stored()
        #expect(stored.map { $0.text("data") } == [read(2, 3, 4), read(1, 2, 3, 4)])
        #expect(
            stored.map { $0.text("timestamp")?.suffix(7) } == ["01.000Z", "00.000Z"], "\(stored)")
    }

    @Test("The table of what joins an event of reads holds")
    func table() {
        func object(_ id: Int64, _ json: String) -> ReadFold.Object {
            ReadFold.Object(identity: ObjectSnapshot.Identity(type: "T", id: .integer(id)), json: json)
        }
        let time = LogTimestamp(nanoseconds: 1)
        var fold = ReadFold()
        #expect(fold.take() == nil)
        #expect(fold.add([object(1, "a")], of: "T", at: time) == nil)
        #expect(fold.add([object(1, "a")], of: "T", at: time) == nil)
        #expect(fold.add([object(2, "b"), object(2, "b")], of: "T", at: time) == nil)
        // The same object with other content: what was read before is complete, and so is what comes with it.
        let before = fold.add([object(1, "A"), object(2, "b")], of: "T", at: time)
        #expect(before == ReadFold.Event(type: "T", time: time, values: ["a", "b"]))
        let large = String(repeating: "x", count: ReadFold.limit - 1)
        #expect(fold.add([object(3, large)], of: "T", at: time)?.values == ["A", "b"])
        #expect(fold.add([object(4, "c")], of: "T", at: time) == nil)
        #expect(fold.add([object(5, "d")], of: "T", at: time)?.values == [large, "c"])
        #expect(fold.add([object(5, "d")], of: "U", at: time)?.values == ["d"])
        #expect(fold.take() == ReadFold.Event(type: "U", time: time, values: ["d"]))
        #expect(fold.take() == nil)
    }

    // MARK: RE21

    struct Product: EventObject {
        var id: Int
        var maker: Person?
    }
    struct Order: EventObject {
        struct Position: Encodable {
            var product: Product
            var count: Int
        }
        var id: Int
        var buyer: Person?
        var positions: [Position]
        var gifts: [Product]
        var byName: [String: Product]
    }

    @Test(
        "Links that are named are expanded, where they lie in fields and collections too; others are ids"
    )
    func links() throws {
        let maker = Person("m", 1, "Mia")
        let product = Product(id: 7, maker: maker)
        let order = Order(
            id: 1, buyer: Person("b", 2, "Bo"), positions: [Order.Position(product: product, count: 2)],
            gifts: [product, Product(id: 8)], byName: ["x": product])
        func expanded(_ links: String...) throws -> String {
            try #require(try data { $0.record(read: order, expanding: links) }.first)
        }
        let person = { (id: String, number: Int, name: String) in
            #"{"_id":"\#(id)","_partition":"","employeeId":\#(number),"name":"\#(name)","userId":null}"#
        }
        func value(buyer: String, product: String, gifts: String, byName: String) -> String {
            #"{"type":"Order","value":[{"id":1,"buyer":\#(buyer),"positions":[{"product":\#(product),"count":2}],"#
                + #""gifts":\#(gifts),"byName":{"x":\#(byName)}}]}"#
        }
        #expect(try expanded() == value(buyer: #""b""#, product: "7", gifts: "[7,8]", byName: "7"))
        #expect(
            try expanded("buyer", "nothing", "gifts.maker")
                == value(buyer: person("b", 2, "Bo"), product: "7", gifts: "[7,8]", byName: "7"))
        #expect(
            try expanded("positions.product", "positions.product.maker", "gifts", "byName.x")
                == value(
                    buyer: #""b""#, product: #"{"id":7,"maker":\#(person("m", 1, "Mia"))}"#,
                    gifts: #"[{"id":7,"maker":"m"},{"id":8,"maker":null}]"#, byName: #"{"id":7,"maker":"m"}"#)
        )
    }

    // MARK: Changes

    @Test("What is done to an array is recorded as one transaction, without a copy by hand")
    func array() throws {
        var notes = (0..<4).map { note($0) }
        let texts = try data { scope in
            let removed = scope.transaction(on: &notes) { notes in
                notes[0].text = "first"
                notes[0].text = "second"
                notes.append(note(9))
                return notes.remove(at: 1)
            }
            #expect(removed.id == 1)
            scope.transaction(on: &notes) { notes in notes[0].text = notes[0].text }
            scope.transaction(on: &notes[1]) { $0.text = "single" }
        }
        #expect(notes.map(\.id) == [0, 2, 3, 9] && notes[1].text == "single")
        #expect(
            try texts.map(canonical) == [
                #"{"Note":{"deletions":[{"id":1,"text":"x"}],"insertions":[{"id":9,"text":"x"}],"#
                    + #""modifications":[{"newValue":{"text":"second"},"oldValue":{"id":0,"text":"x"}}]}}"#,
                #"{"Note":{"modifications":[{"newValue":{"text":"single"},"oldValue":{"id":2,"text":"x"}}]}}"#,
            ])
    }

    private struct Stop: Error {}

    @Test("A change that throws is not recorded, and the array is as it was") func failing() throws {
        var notes = [note(1)]
        let texts = try data { scope in
            #expect(throws: Stop.self) {
                try scope.transaction(on: &notes) { notes in
                    notes.append(note(2))
                    throw Stop()
                }
            }
            scope.record(read: notes)
        }
        #expect(notes.count == 1 && texts == [read(1)])
    }

    private final class Account: EventObject {
        let id: Int
        var balance = 0
        init(id: Int) { self.id = id }
    }

    @Test("Objects that are instances of a class are recorded as they were, though they change in place")
    func classes() throws {
        var accounts = [Account(id: 1), Account(id: 2)]
        var people = [Person("p", 1, "Pia")]
        let texts = try data { scope in
            scope.transaction { changes in
                changes.record(on: &accounts) { $0[1].balance = 5 }
                changes.record(on: &people) { $0[0].name = "Pat" }
            }
        }
        #expect(texts.count == 1)
        #expect(
            texts[0].contains(
                #""Account":{"modifications":[{"oldValue":{"id":2,"balance":0},"newValue":{"balance":5}}]}"#))
        #expect(texts[0].contains(#""newValue":{"name":"Pat"}"#))
    }
}
