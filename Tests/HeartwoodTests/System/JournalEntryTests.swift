import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Entries for journald", .inTurn)
struct JournalEntryTests {
    private let style = JournalEntry(program: "shop", facility: 1, privacy: .redact, limit: 0)

    private func bytes(_ message: LogMessage, _ style: JournalEntry? = nil) -> [UInt8] {
        var output = LogBuffer()
        let style = style ?? self.style
        let isWanted = style.append(message, to: &output) {
            $0.appendText(of: message, privacy: style.privacy)
            return true
        }
        #expect(isWanted)
        return output.withUnsafeBytes { Array($0) }
    }

    @Test("An entry is just these bytes")
    func exact() {
        let message = LogMessage(
            "charged\n\(12.5, as: "amount") EUR", level: .warning, category: LogCategory("payments"),
            context: 7,
            metadata: ["order id": 17], timestamp: LogTimestamp(nanoseconds: 1_763_634_030_123_456_789),
            file: "Shop/Cart.swift", function: "charge()", line: 42, threadID: 99)
        let expected =
            Array("MESSAGE\n".utf8) + [16, 0, 0, 0, 0, 0, 0, 0]
            + Array(
                """
                charged
                12.5 EUR
                PRIORITY=4
                SYSLOG_FACILITY=1
                SYSLOG_IDENTIFIER=shop
                CODE_FILE=Shop/Cart.swift
                CODE_LINE=42
                CODE_FUNC=charge()
                TID=99
                LOG_TIME=2025-11-20T10:20:30.123456789Z
                CATEGORY=payments
                CONTEXT=7
                AMOUNT=12.5
                ORDER_ID=17

                """.utf8)
        #expect(bytes(message) == expected)
    }

    @Test(
        "Names of fields are made such as the journal takes them",
        arguments: [
            ("order", "ORDER"), ("requestID", "REQUESTID"), ("a.b-c d", "A_B_C_D"), ("größe", "GR__E"),
            ("_trusted", "FIELD__TRUSTED"), ("__cursor", "FIELD___CURSOR"), ("1st", "FIELD_1ST"),
            ("", "FIELD_"),
            ("message", "FIELD_MESSAGE"), ("Priority", "FIELD_PRIORITY"), ("code.file", "FIELD_CODE_FILE"),
            ("a=b\nX", "A_B_X"), (String(repeating: "x", count: 70), String(repeating: "X", count: 64)),
        ])
    func names(name: String, field: String) {
        #expect(JournalFieldName.make(name) == field)
    }

    @Test("No text and no value can forge a field, or end an entry")
    func hostile() throws {
        var generator = SeededGenerator(seed: 77)
        for index in 0..<Load.random(2000) {
            let text = HostileText.random(&generator) + (index % 3 == 0 ? "\nPRIORITY=0\n\nMESSAGE=x" : "")
            let message = LogMessage(
                "\(text, as: "piece")", metadata: ["a": .string(text), "b\n=c": .string(text)], function: text
            )
            let fields = try JournalReading.fields(bytes(message))
            #expect(
                fields.map(\.name) == [
                    "MESSAGE", "PRIORITY", "SYSLOG_FACILITY", "SYSLOG_IDENTIFIER", "CODE_FILE", "CODE_LINE",
                    "CODE_FUNC", "TID", "LOG_TIME", "PIECE", "A", "B__C",
                ])
            for name in ["MESSAGE", "CODE_FUNC", "PIECE", "A", "B__C"] {
                #expect(fields.first { $0.name == name }?.value == Array(text.utf8))
            }
        }
    }

    @Test("Names that become the same are two values of one field")
    func twice() throws {
        let entry = try JournalReading.texts(
            bytes(LogMessage("x \(1, as: "a.b")", metadata: ["a-b": 2, "A_B": 3])))
        #expect(entry["A_B"] == ["1", "2", "3"])
    }

    @Test("A UUID in message_id becomes the journal's own, and nothing else does")
    func identifier() throws {
        let id = "0123-4567-89ab-cdef-0123-4567-89AB-CDEF".filter { $0 != "-" }
        var entry = try JournalReading.texts(bytes(LogMessage("x", metadata: ["message_id": .string(id)])))
        #expect(entry["MESSAGE_ID"] == [id.lowercased()])
        let uuid = UUID()
        entry = try JournalReading.texts(bytes(LogMessage("x", metadata: ["message_id": .uuid(uuid)])))
        #expect(entry["MESSAGE_ID"] == [uuid.uuidString.lowercased().filter { $0 != "-" }])
        for value in [LogValue.string("17"), .integer(17), .string(id + "0")] {
            entry = try JournalReading.texts(bytes(LogMessage("x", metadata: ["message_id": value])))
            #expect(entry["MESSAGE_ID"] == nil)
            #expect(entry["FIELD_MESSAGE_ID"] == [value.description])
        }
        entry = try JournalReading.texts(
            bytes(LogMessage("x \(id, as: "message_id", privacy: .private)")))
        #expect(entry["MESSAGE_ID"] == nil)
        #expect(entry["FIELD_MESSAGE_ID"] == ["<private>"])
    }

    @Test("Private pieces are redacted in text and field, unless they are to be seen")
    func privacy() throws {
        let message = LogMessage("mail to \("ann@example.org", as: "to", privacy: .private)")
        var entry = try JournalReading.texts(bytes(message))
        #expect(entry["MESSAGE"] == ["mail to <private>"])
        #expect(entry["TO"] == ["<private>"])
        entry = try JournalReading.texts(
            bytes(message, JournalEntry(program: "p", facility: 1, privacy: .reveal, limit: 0)))
        #expect(entry["MESSAGE"] == ["mail to ann@example.org"])
        #expect(entry["TO"] == ["ann@example.org"])
    }

    @Test("A limit cuts the text where a character ends", arguments: 1...12)
    func limit(limit: Int) throws {
        let style = JournalEntry(program: "p", facility: 1, privacy: .redact, limit: limit)
        let text = try #require(
            try JournalReading.fields(bytes(LogMessage("aé€😀z"), style)).first { $0.name == "MESSAGE" })
        // The characters have 1, 2, 3, 4 and 1 bytes.
        let ends = [0, 1, 3, 6, 10, 11]
        #expect(text.value == Array("aé€😀z".utf8.prefix(ends.last { $0 <= limit } ?? 0)))
    }
}
