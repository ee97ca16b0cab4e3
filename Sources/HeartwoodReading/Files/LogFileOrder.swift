package import Heartwood

/// Puts the log files of a directory in the order of their lines, the oldest first.
///
/// 1. Of one log, the names decide. Where the modification times contradict them, so that the names or the
///    times may be wrong, the first times in the files decide whether the names do.
/// 2. Different logs interleave by time: that of the last modification, within the date in the name.
/// 3. Few files are opened, as `tail -f` lists a directory four times a second: none where the names and the
///    modification times agree, and ``sampleSize`` where the first times confirm the names.
package struct LogFileOrder {
    /// How many files are opened to see whether the names are right.
    package static let sampleSize = 16
    /// The end of a day may be that of another zone, and a log is rotated soon after its day.
    private static let slack = 86_400

    private struct File {
        let info: LogFileInfo
        let name: RotatedName
        /// Where it belongs among the files of other logs.
        var time: LogTimestamp
        var position = 0

        init(_ info: LogFileInfo, _ name: RotatedName) {
            (self.info, self.name) = (info, name)
            time = info.modified
            if let label = name.label { time = label.createdAt ?? time }
            guard let dates = name.dates else { return }
            // A copy may be modified at any time.
            time = max(time, LogFileOrder.moment(dates.lowerBound - LogFileOrder.slack))
            time = min(time, LogFileOrder.moment(dates.upperBound + LogFileOrder.slack))
        }
    }

    private let firstTime: (LogFileInfo) -> LogTimestamp?

    /// Makes an order; `firstTime` looks for the first time in a file.
    package init(firstTime: @escaping (LogFileInfo) -> LogTimestamp?) { self.firstTime = firstTime }

    /// The files, the oldest first; `read` says what a name means, without the end of an archive.
    package func sorted(_ files: [LogFileInfo], _ read: (String) -> RotatedName?) -> [LogFileInfo] {
        let named = files.compactMap { file in
            read(ArchiveStage.split(file.name).log).map { File(file, $0) }
        }
        let live = Set(named.lazy.filter(\.name.isLive).map(\.name.base))
        let logs = Dictionary(grouping: named) { file in
            live.contains(file.name.base) ? file.name.base : file.name.withoutNumber.base
        }
        let ordered = logs.values.flatMap { files in
            var files = sorted(files.map { live.contains($0.name.base) ? $0 : alone($0) })
            for index in files.indices { files[index].position = index }
            // The order within a log stays as it is, also where one of its files was touched later.
            for index in files.indices.dropLast().reversed() {
                files[index].time = min(files[index].time, files[index + 1].time)
            }
            return files
        }
        return ordered.sorted(by: LogFileOrder.isBefore).map(\.info)
    }

    private static func isBefore(_ left: File, _ right: File) -> Bool {
        if left.time != right.time { return left.time < right.time }
        let (first, second) = (left.info.number, right.info.number)
        if first != second { return first < second }
        let (one, other) = (left.name.label?.process ?? 0, right.name.label?.process ?? 0)
        if one != other { return one < other }
        if left.name.base != right.name.base { return left.name.base < right.name.base }
        return (left.position, left.info.name) < (right.position, right.info.name)
    }

    private func alone(_ file: File) -> File { File(file.info, file.name.withoutNumber) }

    // MARK: One log

    private func sorted(_ files: [File]) -> [File] {
        guard files.count > 1 else { return files }
        let kinds = Dictionary(grouping: files, by: \.name.kind)
        // Files of different kinds say nothing of each other, but that the live one is the newest.
        let isMixed = kinds.keys.filter { $0 != .live }.count > 1
        var ordered = files
        if isMixed {
            ordered.sort { ($0.time, $0.info.name) < ($1.time, $1.info.name) }
            ordered = LogFileOrder.weave(ordered, by: kinds.mapValues(byName))
        } else {
            ordered = kinds.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { byName($0.value) }
        }
        guard isDoubtful(ordered, isMixed: isMixed) else { return ordered }
        if !isMixed, ordered.count > LogFileOrder.sampleSize {
            let sample = sample(of: ordered).compactMap { firstTime(ordered[$0].info) }
            if zip(sample, sample.dropFirst()).allSatisfy({ $0 <= $1 }) { return ordered }
        }
        return byFirstTimes(ordered)
    }

    private func byName(_ files: [File]) -> [File] {
        files.sorted { left, right in
            if left.name.isOlder(than: right.name) { return true }
            if right.name.isOlder(than: left.name) { return false }
            return (left.info.modified, left.info.name) < (right.info.modified, right.info.name)
        }
    }

    /// Gives each kind the places that its files have, in the order of their names, and the live file the
    /// last.
    private static func weave(_ files: [File], by kinds: [RotatedName.Kind: [File]]) -> [File] {
        var rest = kinds.mapValues { $0[...] }
        let rotated = files.filter { $0.name.kind != .live }.compactMap { rest[$0.name.kind]?.popFirst() }
        return rotated + (kinds[.live] ?? [])
    }

    /// Whether the modification times do not confirm the order.
    private func isDoubtful(_ files: [File], isMixed: Bool) -> Bool {
        zip(files, files.dropFirst()).contains { older, newer in
            if older.info.modified != newer.info.modified { return older.info.modified > newer.info.modified }
            // Some programs count numbers up: log4j, and rotatelogs in a circle.
            let isNumbered = older.name.dates == nil && newer.name.kind != .live
            return isMixed || isNumbered || !older.name.isOlder(than: newer.name)
        }
    }

    /// The places of some files: the first, the last, some between, and some whose modification times are
    /// contradictory.
    private func sample(of files: [File]) -> [Int] {
        let half = LogFileOrder.sampleSize / 2
        var places = Set((0..<half).map { $0 * (files.count - 1) / (half - 1) })
        for place in files.indices.dropLast()
        where files[place].info.modified > files[place + 1].info.modified {
            if places.count + 2 > LogFileOrder.sampleSize { break }
            places.formUnion([place, place + 1])
        }
        return places.sorted()
    }

    /// The files in the order of the first times in them; one without a time stays after the one before it,
    /// and a live one stays last.
    private func byFirstTimes(_ files: [File]) -> [File] {
        var last = LogTimestamp(nanoseconds: .min)
        let times = files.map { file in
            let isLast = file.name.isLive
            let time = firstTime(file.info) ?? (isLast ? LogTimestamp(nanoseconds: .max) : last)
            last = time
            return time
        }
        let places = files.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        return places.map { files[$0] }
    }

    private static func moment(_ seconds: Int) -> LogTimestamp {
        LogTimestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
    }
}

/// Why the time that a line has is no moment, or a doubtful one.
package enum TimeDoubt: Sendable {
    /// The zone is unknown, or has several meanings.
    case zone
    /// The day is missing, or cannot be told from the month.
    case day
    /// The year is missing, and the one that is guessed is later than the file.
    case year

    /// What is not known of a time without a moment; nil where there is a moment, or no time.
    package init?(_ head: LineRecognizer.Head, of line: UnsafeRawBufferPointer) {
        if head.moment != nil { return nil }
        // With a priority of syslog, the time may be missing.
        let hasTime = head.form == .timed && line.first != UInt8(ascii: "<")
        guard head.hasUnknownZone || hasTime else { return nil }
        self = head.hasUnknownZone ? .zone : .day
    }
}

/// Finds the first time in a file.
package enum LogFileStart {
    /// How much text is read at most.
    private static let reach = 1 << 16

    /// The time of the first record in the first 64 KiB that has one; nil also where the file cannot be read.
    ///
    /// Where there are only times without a moment, `doubtful` is called with the first line that has one.
    package static func time(
        of path: String, key: (any SecretProvider)?, _ recognizer: LineRecognizer,
        doubtful: (TimeDoubt, UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) -> LogTimestamp? {
        guard let source = try? LogFileSource(path: path, key: key, takesStreams: false) else { return nil }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: reach, alignment: 16)
        defer { room.deallocate() }
        var (start, end) = (0, 0)
        var doubt: (TimeDoubt, Range<Int>)?
        while end < reach {
            // The first line has it, as a rule.
            let limit = end == 0 ? 1 << 12 : reach
            let count = (try? source.read(into: .init(rebasing: room[end..<limit]))) ?? 0
            end += count
            let text = UnsafeRawBufferPointer(rebasing: room[..<end])
            while let line = LogBlockReader.line(of: text, from: start) {
                // More of the last line may come.
                if line.upperBound == end, count > 0, end < reach { break }
                start = line.upperBound + 1
                let bytes = UnsafeRawBufferPointer(rebasing: text[line])
                if TraceLines.isContinuation(bytes) { continue }
                let head = recognizer.head(of: bytes, levels: false)
                if let time = head.moment { return time }
                if doubt == nil { doubt = TimeDoubt(head, of: bytes).map { ($0, line) } }
            }
            if count == 0 { break }
        }
        if let (doubt, line) = doubt { doubtful(doubt, UnsafeRawBufferPointer(rebasing: room[line])) }
        return nil
    }
}
