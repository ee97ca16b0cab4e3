import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct ReceiptLedgerTests {
    private var ledger = ReceiptLedger()

    @Test("A receipt that comes again is for the newer piece only, whose time counts from then")
    mutating func sameReceipt() {
        ledger.add("0", 10, at: .seconds(0))
        ledger.add("0", 3, at: .seconds(200))
        #expect(ledger.records == 3 && ledger.receipts == ["0"])
        #expect(ledger.expire(.seconds(300), at: .seconds(301)) == [])
        #expect(ledger.expire(.seconds(300), at: .seconds(500)) == ["0"])
        #expect(ledger.isEmpty && ledger.pollTime == nil)
    }

    @Test("The server is asked a second after the first piece, then less and less often, up to every 10 s")
    mutating func pollTimes() {
        ledger.add("a", 1, at: .seconds(100))
        ledger.add("b", 2, at: .seconds(100))
        var now = Duration.seconds(100)
        var pauses: [Duration] = []
        for _ in 0..<6 {
            guard let time = ledger.pollTime else { break }
            pauses.append(time - now)
            now = time
            ledger.polling()
            #expect(ledger.pollTime == nil)
            #expect(ledger.polled([], at: now) == ([], 0))
        }
        #expect(pauses == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        ledger.polling()
        #expect(ledger.polled(["b", "unknown"], at: now) == (["b"], 2))
        #expect(ledger.pollTime == now + .seconds(1) && ledger.receipts == ["a"] && ledger.records == 1)
    }

    @Test("A process that waits to end asks at once, and then every 200 ms")
    mutating func hurry() {
        ledger.add("a", 1, at: .seconds(100))
        ledger.hurry(at: .milliseconds(100_300))
        #expect(ledger.pollTime == .milliseconds(100_300))
        ledger.polling()
        #expect(ledger.polled(["a"], at: .milliseconds(100_400)) == (["a"], 1))
        #expect(ledger.pollTime == nil)
        ledger.add("b", 1, at: .milliseconds(100_500))
        #expect(ledger.pollTime == .milliseconds(100_700))
        ledger.polling()
        #expect(ledger.polled([], at: .milliseconds(100_800)) == ([], 0))
        #expect(ledger.pollTime == .milliseconds(101_000))
    }

    @Test("Eight unconfirmed pieces are the limit")
    mutating func limit() {
        for number in 0..<8 {
            #expect(!ledger.isFull)
            ledger.add("\(number)", 1, at: .zero)
        }
        #expect(ledger.isFull)
        ledger.polling()
        _ = ledger.polled(["3"], at: .seconds(1))
        #expect(!ledger.isFull)
    }
}
