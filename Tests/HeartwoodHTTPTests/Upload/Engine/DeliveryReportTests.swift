import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct DeliveryReportTests {
    struct Row: Sendable {
        var report: DeliveryReport
        var kind: LogDiagnostics.Kind
        var key: String
        var count = 1
        var text: String
    }

    private static let rows = [
        Row(
            report: .held(.status(404)), kind: .setting, key: "shopholdlast",
            text: "shop: the server rejects the requests because of their setup; all messages are kept: last"),
        Row(
            report: .held(.transport(HTTPTransportError(.unusableRequest, ""))), kind: .setting,
            key: "shopholdlast",
            text: "shop: the requests cannot be created, so nothing is sent; all messages are kept: last"),
        Row(
            report: .held(.transport(HTTPTransportError(.other, ""))), kind: .setting, key: "shopholdlast",
            text: "shop: the server cannot be reached with this setup, so nothing is sent; "
                + "all messages are kept: last"),
        Row(
            report: .held(.local("")), kind: .setting, key: "shopholdlast",
            text: "shop: the requests cannot be created, so nothing is sent; all messages are kept: last"),
        Row(
            report: .refusesEverything, kind: .setting, key: "shophold",
            text: "shop: the server rejects every message, so its address may be wrong; "
                + "all messages are kept: last"),
        Row(
            report: .keptInsteadOfDropped, kind: .setting, key: "shophold",
            text: "shop: the retry policy drops messages; this store keeps them: last"),
        Row(
            report: .unacknowledged(3), kind: .writeFailed, key: "shopunacknowledged", count: 3,
            text: "shop: the server did not acknowledge 3 requests in time; they are sent again"),
        Row(
            report: .discarded(2, note: nil), kind: .writeFailed, key: "shoprejected", count: 2,
            text: "shop: the server discarded 2 messages: no reason given"),
        Row(
            report: .rejected(reason: "400", isLost: false), kind: .writeFailed, key: "shoprejected",
            text:
                "shop: the server rejected a message (400); it is in rejected.ndjson in the spool's directory"
        ),
        Row(
            report: .rejected(reason: "400", isLost: true), kind: .writeFailed, key: "shoprejected",
            text: "shop: the server rejected a message (400); it is lost"),
        Row(
            report: .deadLettersRemoved(4, limit: .mebibytes(8)), kind: .writeFailed, key: "shopremoved",
            count: 4,
            text: "shop: rejected.ndjson has reached deadLetterLimit, \(ByteCount.mebibytes(8)): the oldest "
                + "rejected messages, 4 of them, were removed"),
        Row(
            report: .unreadable(5), kind: .damaged, key: "shop", count: 5,
            text: "shop: stored messages of another version cannot be read"),
        Row(
            report: .lostAtRemoval(6), kind: .writeFailed, key: "shopunsaved", count: 6,
            text: "shop: 6 messages were lost: the disk did not accept them before the logger was removed"),
        Row(
            report: .lostAtExit(7), kind: .writeFailed, key: "shoplost", count: 7,
            text: "shop: 7 messages are lost: they were in memory only, and the server has not accepted them "
                + "before the end of the process; give the logger a `spool`: last"),
        Row(
            report: .memoryOnly("x"), kind: .setting, key: "shop",
            text: "shop: unsent messages are kept in memory only: x"),
        Row(report: .storeError("x", isDamage: true), kind: .damaged, key: "shop", text: "shop: x"),
        Row(report: .storeError("x", isDamage: false), kind: .writeFailed, key: "shop", text: "shop: x"),
        Row(
            report: .noThread, kind: .setting, key: "sending", count: 0,
            text: "shop: no thread could be created for sending: messages wait until one can"),
    ]

    @Test("Each report has its kind, its key, its count and its text", arguments: rows)
    func texts(row: Row) {
        #expect(row.report.kind == row.kind && row.report.count == row.count)
        #expect(row.report.key(logger: "shop", lastError: "last") == row.key)
        #expect(row.report.text(logger: "shop", lastError: "last") == row.text)
    }

    @Test("Without a failed request, a report that everything is kept names no answer") func noAnswer() {
        #expect(DeliveryReport.held(.local("")).key(logger: "a", lastError: nil) == "aholdno answer")
        #expect(
            DeliveryReport.refusesEverything.text(logger: "a", lastError: nil).hasSuffix("kept: no answer"))
        #expect(
            DeliveryReport.lostAtExit(1).text(logger: "a", lastError: nil).hasSuffix(
                "give the logger a `spool`"))
    }
}
