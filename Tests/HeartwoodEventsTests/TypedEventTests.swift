import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("Typed events", .inTurn) struct TypedEventTests {
    enum Visit: String { case page = "page_id", index, osVersion = "os_version", loggedIn, detail, value }
    enum Detail: String { case battery, inner }

    private func json(_ fill: (inout EventRecord<Visit>) -> Void) -> String {
        EventRecord<Visit>(fill).description
    }

    @Test("The published example is sent as published, with the cases' raw values as keys")
    func example() async throws {
        let fixture = try Fixture()
        let store = try fixture.store()
        let events = try EventLog<Visit>(store)
        events.append {
            $0[.index] = 3
            $0[.page] = "/home"
            $0[.osVersion] = "13.3"
            $0[.loggedIn] = true
        }
        #expect(await store.deliver(timeout: .testLimit))
        let body = try #require(fixture.server.stored.first).text
        #expect(body == #"[{"index":3,"page_id":"/home","os_version":"13.3","loggedIn":true}]"#)
        let published = #"[{"index":3,"page_id":"\/home","os_version":"13.3","loggedIn":true}]"#
        #expect(try canonical(body) == canonical(published))
    }

    @Test("The body can be wrapped in an object")
    func wrapped() throws {
        var entry = RemoteEntry()
        entry.metadata = ["index": 3]
        let body = EventEncoding(wrappingKey: "root").encode(RemoteBatch(entries: [entry, entry], key: ""))
        #expect(String(decoding: body, as: UTF8.self) == #"{"root":[{"index":3},{"index":3}]}"#)
    }

    @Test("A second owner of a store's files is refused; logs in one process share the store")
    func owners() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let error = #expect(throws: LogError.self) { try fixture.store() }
        #expect(error?.code == .inUse)
        let other = try fixture.store(prefix: "other")
        other.close()
        let first = try EventLog<Visit>(store)
        let second = try EventLog<Detail>(store)
        first.append { $0[.index] = 1 }
        second.append { $0[.battery] = 0.5 }
        store.close()
        #expect(try fixture.stored() == [["index": 1], ["battery": 0.5]])
    }

    @Test("Appending returns at once while the store is held up, and everything is stored in order")
    func returnsAtOnce() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let gate = Gate()
        store.uploader.transcript = { _ in gate.pass() }
        let events = try EventLog<Visit>(store)
        for index in 0..<1000 { events.append { $0[.index] = index } }
        gate.open()
        store.close()
        #expect(try fixture.stored() == (0..<1000).map { ["index": .integer(Int64($0))] })
    }

    @Test("Every type that may be a value has its JSON")
    func values() throws {
        let date = Date(timeIntervalSince1970: 1_763_634_030.123)
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        let table: [(any LogValueConvertible, String)] = [
            (Int.min, "-9223372036854775808"), (Int8.min, "-128"), (Int16.min, "-32768"),
            (Int32.min, "-2147483648"), (Int64.max, "9223372036854775807"),
            (UInt.max, "18446744073709551615"),
            (UInt8.max, "255"), (UInt16.max, "65535"), (UInt32.max, "4294967295"),
            (UInt64.max, "18446744073709551615"),
            (Int128.min, #""-170141183460469231731687303715884105728""#),
            (UInt128.max, #""340282366920938463463374607431768211455""#),
            (Float(0.1), "0.1"), (0.1, "0.1"), (1e300, "1e+300"), (-0.0, "-0.0"),
            (true, "true"), (false, "false"), ("a\"b\n/ü", #""a\"b\n/ü""#),
            (date, #""2025-11-20T10:20:30.123Z""#), (uuid, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#),
            (decimal, #""12345678901234567890.123456789""#),
            (Int?.none, "null"), (Int?.some(3), "3"), (Int??.some(nil), "null"),
            ([1, 2], "[1,2]"), ([String](), "[]"), ([Int?.none, 1], "[null,1]"),
            ([["a"], []], #"[["a"],[]]"#),
            (["b": 1, "a": 2, "c": 3], #"{"a":2,"b":1,"c":3}"#), (["k": [1.5]], #"{"k":[1.5]}"#),
            (EventRecord<Detail> { $0[.battery] = 1 }, #"{"battery":1}"#),
            ([EventRecord<Detail>()], "[{}]"),
        ]
        for (value, expected) in table {
            #expect(json { $0[.value] = value } == "{\"value\":\(expected)}")
        }
    }

    @Test(
        "Numbers that are infinite or none, and values too deep, have the results that are documented")
    func limits() throws {
        #expect(json { $0[.value] = Double.nan } == #"{"value":"nan"}"#)
        #expect(json { $0[.value] = [Double.infinity, -.infinity] } == #"{"value":["inf","-inf"]}"#)
        #expect(json { $0[.value] = -Float.infinity } == #"{"value":"-inf"}"#)
        #expect(json { $0[.value] = Decimal.nan } == #"{"value":"nan"}"#)
        #expect(json { $0[.value] = Date(timeIntervalSince1970: .nan) } == #"{"value":null}"#)
        #expect(json { $0[.value] = [Date.distantFuture] } == #"{"value":["4001-01-01T00:00:00.000Z"]}"#)

        func nested(_ levels: Int) -> EventRecord<Detail> {
            var record = EventRecord<Detail> { $0[.battery] = 1 }
            for _ in 1..<levels {
                let inner = record
                record = EventRecord { $0[.inner] = inner }
            }
            return record
        }
        // The event itself is the first of the 64 levels.
        let deepest = json { $0[.value] = nested(63) }
        #expect(!deepest.contains("nested deeper") && deepest.contains(#"{"battery":1}"#))
        #expect(json { $0[.value] = nested(64) }.contains(#"{"inner":"…[nested deeper than 64]"}"#))
        #expect(nested(1000).description.contains(#""inner":"…[nested deeper than 64]""#))
    }

    @Test("An event of other properties can be nested, and so can lists of them")
    func nesting() throws {
        var detail = EventRecord<Detail>()
        detail[.battery] = 0.83
        detail[.inner] = EventRecord<Visit> { $0[.page] = "/" }
        let text = json {
            $0[.detail] = detail
            $0[.value] = [detail, detail]
        }
        let inner = #"{"battery":0.83,"inner":{"page_id":"/"}}"#
        #expect(text == "{\"detail\":\(inner),\"value\":[\(inner),\(inner)]}")
    }

    @Test(
        "The keys stay in the order in which they were first set; a value can be read, replaced and removed")
    func order() throws {
        var record = EventRecord<Visit>()
        record[.loggedIn] = true
        record[.index] = 1
        record[.page] = "/"
        record[.loggedIn] = false
        record[.index] = nil
        record.remove(.page)
        #expect(record.description == #"{"loggedIn":false,"index":null}"#)
        #expect(record[.page] == nil)
        #expect("\(try #require(record[.loggedIn]))" == "false")
    }

    @Test(
        "An event that is larger than the limit, 16 MiB by default, is refused, and the error handler told; the others are stored",
        .secondTier
    )
    func tooLarge() throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let events = try EventLog<Visit>(store)
        events.append { $0[.page] = String(repeating: "x", count: 16 << 20) }
        events.append { $0[.index] = 1 }
        let page = String(repeating: "x", count: 15 << 20)
        events.append { $0[.page] = page }
        #expect(store.flush(timeout: .testLimit))
        store.payloadLimit = .mebibytes(1)
        events.append { $0[.page] = String(repeating: "x", count: 1 << 20) }
        store.close()
        #expect(try fixture.stored() == [["index": 1], ["page_id": .string(page)]])
        #expect(Fixture.wait { fixture.errors.withLock { $0.contains { $0.contains("16 MiB") } } })
        #expect(Fixture.wait { fixture.errors.withLock { $0.contains { $0.contains("1 MiB") } } })
    }
}
