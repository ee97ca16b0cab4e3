import Foundation
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodEvents

/// Dictionaries whose values are of several types.
@Suite("Dictionaries of several types", .inTurn) struct EventFieldsTests {
    enum Key: String { case detail, other }

    @Test("A literal of several types is a value; one of a single type, a variable and nil are as before")
    func literals() {
        let count = 7
        let name: String? = nil
        let record = EventRecord<Key> {
            $0[.detail] = ["b": "x", "a": 1, "n": count, "d": 0.5, "t": true, "l": [1, 2], "o": name]
            $0[.other] = ["one": 1, "two": 2]
        }
        #expect(
            record.description
                == #"{"detail":{"b":"x","a":1,"n":7,"d":0.5,"t":true,"l":[1,2],"o":null},"other":{"one":1,"two":2}}"#
        )
        var changed = record
        changed[.detail] = nil
        changed[.other] = ["x": .object(["b": 1, "a": "y"]), "y": 2]
        #expect(changed.description == #"{"detail":null,"other":{"x":{"b":1,"a":"y"},"y":2}}"#)
        #expect((changed[.other] as LogMetadata?)?["y"] == 2 && (changed[.detail] as LogMetadata?) == nil)
    }

    @Test("A dictionary of anything is taken with all types that events have, its keys sorted")
    func checking() throws {
        let deep: [String: Any] = [
            "i": 1, "u": UInt64.max, "f": Float(0.5), "s": "text", "b": true, "n": NSNull(), "d": 1.5,
            "o": String?.none as Any, "p": Int?(3) as Any, "a": [1, "x", [true, 2.5] as [Any]] as [Any],
            "e": [String: Any](), "m": ["z": 1, "y": ["k": "v"] as [String: Any]] as [String: Any],
            "w": Date(timeIntervalSince1970: 0), "r": EventRecord<Key> { $0[.other] = 1 },
        ]
        let fields = try LogMetadata(checking: deep)
        #expect(
            LogValue.object(fields).eventJSON
                == #"{"a":[1,"x",[true,2.5]],"b":true,"d":1.5,"e":{},"f":0.5,"i":1,"m":{"y":{"k":"v"},"z":1},"n":null,"#
                + #""o":null,"p":3,"r":{"other":1},"s":"text","u":18446744073709551615,"w":"1970-01-01T00:00:00.000Z"}"#
        )
        let json = #"{"a":[1,2.5,true,null,"x"],"b":{"c":-3}}"#
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(try LogMetadata(checking: parsed).logValue.eventJSON == json)
    }

    private struct Color {}

    @Test(
        "A value of another type is an error with the path to it",
        arguments: ["color", "detail.color", "screens[1].color", "screens[1][0]"])
    func refused(path: String) throws {
        let bad = Color()
        let dictionary: [String: Any] =
            switch path {
            case "color": ["a": 1, "color": bad]
            case "detail.color": ["detail": ["color": bad, "b": 2] as [String: Any]]
            case "screens[1].color": ["screens": [1, ["color": bad]] as [Any]]
            default: ["screens": [1, [bad]] as [Any]]
            }
        let error = #expect(throws: LogError.self) { try LogMetadata(checking: dictionary) }
        #expect(error?.code == .invalidEvent && error?.place == path)
        #expect(error?.message.contains("Color") == true)
    }

    @Test("What lies too deep is replaced, however deep it is") func deep() throws {
        var value: Any = 1
        for _ in 0..<10_000 { value = ["x": value] as [String: Any] }
        let fields = try onSmallStack { try LogMetadata(checking: ["top": value]) }
        #expect(fields.description.contains("[nested deeper than 32]"))
        #expect(fields.description.utf8.count < 1000)
    }
}
