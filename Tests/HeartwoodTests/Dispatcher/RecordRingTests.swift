import CHeartwood
import Dispatch
import Foundation
import Synchronization
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A record of a test: the commit word, a producer, a number, a length and a checksum over a payload.
private struct TestRecord {
    static func size(payload: Int) -> Int { RecordView.padded(32 + payload) }

    static func write(_ base: UnsafeMutableRawPointer, producer: Int, number: Int, payload: Int) {
        base.storeBytes(of: UInt64(producer), toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: UInt64(number), toByteOffset: 16, as: UInt64.self)
        var sum: UInt32 = 17
        for index in 0..<payload {
            let byte = UInt8(truncatingIfNeeded: producer &* 31 &+ number &* 7 &+ index)
            base.storeBytes(of: byte, toByteOffset: 32 + index, as: UInt8.self)
            sum = sum &* 31 &+ UInt32(byte)
        }
        base.storeBytes(of: UInt32(payload), toByteOffset: 24, as: UInt32.self)
        base.storeBytes(of: sum, toByteOffset: 28, as: UInt32.self)
    }

    /// Nil where the checksum does not fit.
    static func read(_ base: UnsafeRawPointer) -> (producer: Int, number: Int, payload: Int)? {
        let payload = Int(base.load(fromByteOffset: 24, as: UInt32.self))
        var sum: UInt32 = 17
        for index in 0..<payload {
            sum = sum &* 31 &+ UInt32(base.load(fromByteOffset: 32 + index, as: UInt8.self))
        }
        guard sum == base.load(fromByteOffset: 28, as: UInt32.self) else { return nil }
        return (
            Int(base.load(fromByteOffset: 8, as: UInt64.self)),
            Int(base.load(fromByteOffset: 16, as: UInt64.self)),
            payload
        )
    }
}

@Suite("The record ring", .inTurn)
struct RecordRingTests {
    @Test(
        "Its capacity is a power of two from 64 KiB to 1 GiB",
        arguments: [(0, 65_536), (1, 65_536), (65_536, 65_536), (65_537, 131_072), (1_000_000, 1 << 20)])
    func capacity(wanted: Int, is expected: Int) {
        let ring = RecordRing(capacity: wanted)
        #expect(ring.capacity == expected)
        #expect(ring.maximumRecord == expected / 4)
        #expect(RecordRing(capacity: -5).capacity == 65_536)
    }

    // In processes of their own: calls of one that had fields from outside take another way.

    @Test("A message that is text alone is the same record, whichever way it takes")
    func plain() async {
        await #expect(processExitsWith: .exitCode(7)) {
            onThreads(1) { _ in Self.comparePlain(salt: 0) }
            for name in [nil, "", "worker", String(repeating: "ä", count: 200)] {
                await Task(name: name) { Self.comparePlain(salt: 0x5A17, task: name ?? "") }.value
            }
            _exit(7)
        }
    }

    private static func comparePlain(salt: UInt64, task: String = "") {
        // Never drained: each record has a place of its own.
        let (one, other) = (RecordRing(capacity: 2 << 20), RecordRing(capacity: 2 << 20))
        for ring in [one, other] { (ring.memory.tailWord + 1).pointee.store(salt, ordering: .relaxed) }
        let text = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let labels = [0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 64, 128, 129, 254, 255, 300]
        for (number, size) in labels.enumerated() {
            let queue = DispatchQueue(label: String(repeating: "q", count: size))
            for count in Array(0..<140) + [255, 256, 600, 700] {
                queue.sync {
                    Array(task.utf8.prefix(255)).withUnsafeBytes { task in
                        text.withUnsafeBytes { text in
                            let place = UInt64(number) | UInt64(CategoryRegistry.defaultID) << 32
                            let room = withUnsafePointer(to: one.memory.shared) {
                                hw_ring_put($0, text.baseAddress, count, place, Int64(-count), 16)
                            }
                            let position = one.tail &- UInt64(room.size)
                            var call = Call(
                                text: UnsafeRawBufferPointer(rebasing: text.prefix(count)), level: 16,
                                category: nil, context: -count, site: UInt32(number))
                            call.time = RecordView(one.address(of: position)).time
                            call.setOrigin(.current, ticks: hw_ticks())
                            call.taskName = task
                            guard let (place, used) = other.reserve(call.size), place == position,
                                used == Int(room.used), call.size == Int(room.size)
                            else { _exit(1) }
                            other.memory.write(call, call.size, at: place)
                            other.publish(place, size: call.size, kind: .message)
                        }
                    }
                }
            }
        }
        if one.tail != other.tail || one.tail < 500_000 || one.tail > 2 << 20 { _exit(2) }
        if memcmp(one.memory.base, other.memory.base, 2 << 20) != 0 { _exit(3) }
    }

    @Test("A full ring, and a message that is too large for it, are told to the call")
    func plainWithoutRoom() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let ring = RecordRing(capacity: 65_536)
            let text = [UInt8](repeating: 0x61, count: 20_000)
            func put(_ count: Int) -> hw_room {
                withUnsafePointer(to: ring.memory.shared) { hw_ring_put($0, text, count, 0, 0, 1) }
            }
            if put(20_000).used != -1 || ring.tail != 0 { _exit(1) }
            var count = 0
            while put(10_000).used >= 0 { count += 1 }
            // A smaller one has room.
            if count != 6 || put(0).used < 60_000 { _exit(2) }
            _exit(7)
        }
    }

    /// Takes everything that is published; returns the records in order, and frees them.
    private func drain(_ ring: RecordRing, _ body: (UnsafeRawPointer, Int) -> Void) {
        var position = ring.head
        while position < ring.tail, let (size, kind) = ring.record(at: position) {
            if kind == .message { body(UnsafeRawPointer(ring.address(of: position)), size) }
            position &+= UInt64(size)
        }
        ring.free(upTo: position)
    }

    @Test("Records of all sizes come out as they went in, many times round the ring, with fillers at its end")
    func wrapAround() {
        let ring = RecordRing(capacity: 65_536)
        var generator = SeededGenerator(seed: 1)
        var written = 0
        var read = 0
        while written < Load.scaled(20_000) {
            let payload = Int.random(in: 0...3000, using: &generator)
            let size = TestRecord.size(payload: payload)
            if Int.random(in: 0..<20, using: &generator) > 0, let (position, used) = ring.reserve(size) {
                #expect(used + size <= ring.capacity)
                TestRecord.write(ring.address(of: position), producer: 0, number: written, payload: payload)
                ring.publish(position, size: size, kind: .message)
                #expect(Int(ring.tail &- ring.head) <= ring.capacity)
                written += 1
            } else {
                drainAll()
            }
        }
        drainAll()
        #expect(read == written)

        func drainAll() {
            drain(ring) { record, size in
                let found = TestRecord.read(record)
                #expect(found?.number == read)
                #expect(found.map { TestRecord.size(payload: $0.payload) } == size)
                read += 1
            }
        }
    }

    @Test("It is full when a record does not fit any more, and not before; what is freed can be used again")
    func full() {
        let ring = RecordRing(capacity: 65_536)
        for round in 0..<100 {
            var positions: [UInt64] = []
            while let (position, _) = ring.reserve(1024) {
                ring.publish(position, size: 1024, kind: .message)
                positions.append(position)
            }
            #expect(positions.count == 64)
            #expect(ring.reserve(8) == nil)
            ring.free(upTo: positions[round % 63] &+ 1024)
            #expect(ring.reserve(8) != nil)
            ring.publish(ring.tail &- 8, size: 8, kind: .filler)
            drain(ring) { _, _ in }
            #expect(ring.head == ring.tail)
            // Bring the tail back to a multiple of 1024, where 64 records fit exactly.
            while ring.tail % 1024 != 0, let (position, _) = ring.reserve(8) {
                ring.publish(position, size: 8, kind: .filler)
            }
            drain(ring) { _, _ in }
        }
    }

    @Test(
        "A record that is reserved but not published holds back all behind it, and they come in order afterwards"
    )
    func tornPublish() throws {
        let ring = RecordRing(capacity: 65_536)
        for round in 0..<200 {
            let (torn, _) = try #require(ring.reserve(64))
            for number in 0..<10 {
                let (position, _) = try #require(ring.reserve(64))
                TestRecord.write(ring.address(of: position), producer: round, number: number + 1, payload: 8)
                ring.publish(position, size: 64, kind: .message)
            }
            var count = 0
            drain(ring) { _, _ in count += 1 }
            #expect(count == 0)
            TestRecord.write(ring.address(of: torn), producer: round, number: 0, payload: 20)
            ring.publish(torn, size: 64, kind: .message)
            var numbers: [Int] = []
            drain(ring) { record, _ in numbers.append(TestRecord.read(record)?.number ?? -1) }
            #expect(numbers == Array(0...10))
        }
    }

    @Test("Freed bytes are zero: whatever was there before, a reserved record reads as not published")
    func freedIsZero() throws {
        let ring = RecordRing(capacity: 65_536)
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let size = RecordView.padded(Int.random(in: 8...4000, using: &generator))
            let (position, _) = try #require(ring.reserve(size))
            #expect(ring.record(at: position) == nil)
            memset(ring.address(of: position) + 8, 0xFF, size - 8)
            ring.publish(position, size: size, kind: .message)
            drain(ring) { _, _ in }
        }
    }

    @Test(
        "Producers on many threads and one consumer: no record is lost, torn, doubled or out of its thread's order",
        arguments: [1, 2, 4, 16])
    func producers(count: Int) {
        let ring = RecordRing(capacity: 65_536)
        let perThread = Load.scaled(2_000_000) / count / 8
        let isOver = Box(false)
        let failures = Box<[String]>([])
        let consumed = Box(0)
        let consumer = DispatchGroup()
        consumer.enter()
        Thread {
            var next = [Int](repeating: 0, count: count)
            var taken = 0
            while true {
                let wasOver = isOver.value
                drain(ring) { record, _ in
                    taken += 1
                    guard let found = TestRecord.read(record) else {
                        return failures.update { $0.append("a torn record") }
                    }
                    if next[found.producer] != found.number {
                        failures.update { $0.append("\(found.producer): \(found.number) instead of \(next)") }
                    }
                    next[found.producer] = found.number + 1
                }
                if wasOver, ring.head == ring.tail { break }
            }
            consumed.value = taken
            consumer.leave()
        }.start()
        onThreads(count) { producer in
            for number in 0..<perThread {
                let payload = (producer &* 7 &+ number) % 200
                let size = TestRecord.size(payload: payload)
                while true {
                    if let (position, _) = ring.reserve(size) {
                        TestRecord.write(
                            ring.address(of: position), producer: producer, number: number, payload: payload)
                        ring.publish(position, size: size, kind: .message)
                        break
                    }
                    ring.waitForRoom(of: size, limit: .seconds(1)) {}
                }
            }
        }
        isOver.value = true
        consumer.wait()
        #expect(failures.value.isEmpty, "\(failures.value.prefix(3))")
        #expect(consumed.value == perThread * count)
    }

    @Test(
        "A producer that waits for room is woken when half of the ring is free, or a look ends, and gives up after its limit",
        arguments: [true, false])
    func waiting(isHalf: Bool) {
        let ring = RecordRing(capacity: 65_536)
        while let (position, _) = ring.reserve(1024) { ring.publish(position, size: 1024, kind: .message) }
        let begin = SystemClock().uptime()
        ring.waitForRoom(of: 1024, limit: .milliseconds(20)) {}
        #expect(SystemClock().uptime() - begin >= .milliseconds(20))
        onThread {
            let waiter = DispatchSemaphore(value: 0)
            Thread {
                while ring.reserve(1024) == nil { ring.waitForRoom(of: 1024, limit: .testLimit) {} }
                waiter.signal()
            }.start()
            while !ring.hasWaiters { sched_yield() }
            if isHalf {
                for _ in 0..<4 { ring.free(upTo: ring.head + 8192) }
            } else {
                ring.free(upTo: ring.head + 8192)
                ring.wakeWaiters()
            }
            waiter.wait()
        }
    }
}
