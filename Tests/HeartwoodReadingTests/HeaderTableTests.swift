import CoreFixtures
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodReading

@Suite("The forms of what precedes a message", .inTurn)
struct HeaderTableTests {
    static let now = LogTimestamp(nanoseconds: 1_795_219_200_000_000_000)

    @Test("Each row reads its own line, up to the message", arguments: HeaderTable.rows.indices)
    func reads(_ index: Int) {
        let row = HeaderTable.rows[index]
        // The priority is no part of the header.
        let hasPriority = row.line.description.hasPrefix("<4>")
        let line = Array(row.line.description.utf8.dropFirst(hasPriority ? 3 : 0))
        line.withUnsafeBytes { line in
            let times = LineTime(now: Self.now)
            let header = LineHeader(line, times, .all, hasPriority: hasPriority)
            let found = header.row < 0 ? "none" : HeaderTable.rows[header.row].form.description
            #expect(header.row == index, "\(found)")
            let rest = String(decoding: line[header.start...], as: UTF8.self)
            let message = rest.drop { $0 == " " || $0 == "\t" }
            let form = row.form.description
            let isBeforeDate = form.hasSuffix("%<%>") || form.hasSuffix("%A%>")
            let expected = isBeforeDate ? "2026-11-20T10:20:30Z" : form == "#+%n" ? "" : "x"
            #expect(message == expected)
        }
    }
}
