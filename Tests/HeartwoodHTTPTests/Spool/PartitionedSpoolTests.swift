import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A row of spools: what is counted against its limit, and what happens to partitions that cannot be opened.
@Suite(.inTurn) struct PartitionedSpoolTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/events" }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ settings: SpoolSettings = SpoolSettings()) throws -> PartitionedSpool {
        try PartitionedSpool(
            path: path, partitionSize: .bytes(1), settings: settings, clock: ManualClock()
        ) { newest in
            let number = newest.flatMap { Int($0, radix: 16) } ?? 0
            let digits = String(number + 1, radix: 16)
            return String(repeating: "0", count: 24 - digits.count) + digits
        }
    }

    private func append(_ bytes: [UInt8], to store: PartitionedSpool) -> Bool {
        store.append(bytes, time: LogTimestamp(nanoseconds: 0), level: 4)
    }

    @Test("The limit of all partitions counts what a record needs beside its payload")
    func limit() throws {
        var settings = SpoolSettings()
        let payload = [UInt8](repeating: 1, count: 1000)
        settings.maximumBytes = ByteCount(payload.count + SpoolFrame.headerSize - 1)
        let store = try open(settings)
        func whole() throws {
            try store.appendWhole(1, bytes: payload.count) { (payload, LogTimestamp(nanoseconds: 0), 4) }
        }
        let error = #expect(throws: LogError.self) { try whole() }
        #expect(error?.code == .full)
        settings.maximumBytes = ByteCount(payload.count + SpoolFrame.headerSize)
        store.settings = settings
        try whole()
        #expect(store.pending == 1)
    }

    @Test("The limit counts the partitions that wait for their turn as well, after a restart too")
    func limitOfClosed() throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(8)
        let payload = [UInt8](repeating: 1, count: 1000)
        let first = try open(settings)
        var count = 0
        while count < 100, append(payload, to: first) { count += 1 }
        #expect((5...8).contains(count) && first.plan.names.count == count && first.bytes <= 8192)
        first.close()
        let second = try open(settings)
        #expect(second.pending == count && !append(payload, to: second))
        #expect(second.counters.recovered == count)
    }

    @Test(
        "A partition that cannot be opened holds up those after it for ten attempts, and so does the next one"
    )
    func unopened() throws {
        let first = try open()
        for number in UInt8(1)...3 { #expect(append([number], to: first)) }
        let names = first.plan.names
        #expect(names.count == 3)
        first.close()
        // Other stores have two of them open.
        let spools = try names.prefix(2).map { try Spool(directory: path + "/" + $0) }
        let store = try open()
        var attempts = 0
        while store.plan.names.first == names[0], attempts < 100 {
            #expect(store.nextPiece(maximumCount: 10, maximumBytes: 1000, probe: false) == nil)
            attempts += 1
        }
        #expect((1...SpoolPlan.readAttempts).contains(attempts))
        // The second was tried once or twice by now: it is not passed by.
        #expect(store.plan.names.first == names[1])
        for spool in spools { spool.close() }
        let piece = store.nextPiece(maximumCount: 10, maximumBytes: 1000, probe: false)
        #expect(piece?.records.map(\.payload) == [[2]])
    }

    @Test("A partition that was written and is full waits for an older one that cannot be opened yet")
    func fullBeforeOpened() throws {
        let first = try open()
        #expect(append([1], to: first))
        let name = try #require(first.plan.names.first)
        first.close()
        let holder = try Spool(directory: path + "/" + name)
        let store = try open()
        for number in UInt8(2)...4 { #expect(append([number], to: store)) }
        #expect(store.plan.names.count == 4 && store.plan.names.first == name)
        #expect(store.nextPiece(maximumCount: 10, maximumBytes: 1000, probe: false) == nil)
        holder.close()
        var payloads: [[UInt8]] = []
        while let piece = store.nextPiece(maximumCount: 10, maximumBytes: 1000, probe: false) {
            payloads += piece.records.map(\.payload)
            store.complete(piece, done: piece.records.map(\.id))
        }
        #expect(payloads == [[1], [2], [3], [4]])
        #expect(store.pending == 0)
    }

    @Test("Dead letters that are stored again come after what is pending in the partition that is written")
    func resentLast() throws {
        let store = try open()
        store.partitionSize = .mebibytes(1)
        #expect(append([1], to: store))
        let letters = DeadLetterFile(in: try #require(store.directory), limit: nil)
        let entry = RemoteEntry(LogMessage("refused"))
        #expect(throws: Never.self) {
            try letters.append(entry, reason: "400", key: "k", at: LogTimestamp(nanoseconds: 0))
        }
        #expect(try store.resendRejected().messages == 1)
        let first = try #require(store.nextPiece(maximumCount: 1, maximumBytes: 1000, probe: false))
        #expect(first.records.map(\.payload) == [[1]])
        store.complete(first, done: first.records.map(\.id))
        let second = try #require(store.nextPiece(maximumCount: 1, maximumBytes: 1000, probe: false))
        #expect(EntryCoder.decode(second.records[0].payload, id: "1")?.text == "refused")
    }

    @Test("A store that is opened again tells its errors where the one before did")
    func reopened() throws {
        let texts = Locked<[String]>([])
        var settings = SpoolSettings()
        settings.maximumBytes = .bytes(10)
        let first = try open(settings)
        first.onTrouble = { error in texts.withLock { $0.append(error.description) } }
        first.close()
        let second = try #require(try first.reopened() as? PartitionedSpool)
        #expect(!append([UInt8](repeating: 1, count: 100), to: second))
        #expect(second.drainErrors().count == 1)
        #expect(texts.withLock { $0.count { $0.contains("has reached its limit") } } == 1)
    }
}
