import CHeartwood
import Synchronization

/// Writes moments in a layout and a zone; the text of a second is kept from one message to the next.
///
/// With milliseconds alone, which is usual, each buffer keeps it as well, so that only the first message of a
/// second takes the lock.
final class DateText: Sendable {
    private struct Second {
        var number: Int64 = .min
        var text: [UInt8] = []
        /// Where the fraction's digits belong, and how many they are.
        var holes: [(start: Int, digits: Int)] = []
    }

    private static let lastID = Atomic<UInt64>(0)

    // MARK: Constants (any thread)
    /// A number that no other has, not even after this one's end: a buffer may outlive it.
    private let id = DateText.lastID.add(1, ordering: .relaxed).newValue
    private let layout: DateLayout
    private let zone: LogTimeZone

    // MARK: Guarded by 'second'
    private let second = Locked(Second())

    init(_ layout: DateLayout, zone: LogTimeZone) {
        self.layout = layout
        self.zone = zone
    }

    @inline(__always)
    func append(_ moment: LogTimestamp, to output: inout LogBuffer) {
        let (number, nanosecond) = CivilTime.split(moment.nanoseconds)
        if !output.append(stampOf: id, number, nanosecond) { append(number, nanosecond, to: &output) }
    }

    @inline(never)
    private func append(_ number: Int64, _ nanosecond: Int, to output: inout LogBuffer) {
        second.withLock { second in
            if second.number != number { second = render(number) }
            let start = output.count
            output.append(second.text)
            for hole in second.holes {
                output.overwriteFraction(nanosecond, digits: hole.digits, at: start + hole.start)
            }
            if second.holes.count == 1, second.holes[0].digits == 3 {
                output.keepStamp(of: id, number, from: start, fraction: second.holes[0].start)
            }
        }
    }

    private func render(_ number: Int64) -> Second {
        let offset = zone.offset(at: Int(number))
        var text = LogBuffer(capacity: 48)
        var holes: [(Int, Int)] = []
        let time = CivilTime(seconds: number + Int64(offset), nanosecond: 0)
        layout.append(time, offset: offset, to: &text, holes: &holes)
        return Second(number: number, text: text.withUnsafeBytes { Array($0) }, holes: holes)
    }
}

extension LogBuffer {
    /// Puts the first `digits` digits of a fraction of a second over the bytes at `start`.
    mutating func overwriteFraction(_ nanosecond: Int, digits: Int, at start: Int) {
        hw_write_decimal(UInt64(nanosecond) / hw_power_of_ten(9 - Int32(digits)), Int32(digits), base + start)
    }
}
