import CHeartwood
import Heartwood

/// What precedes the message of a line of text: the time, the level, and who wrote it.
///
/// One walk from the left reads times, levels, names, numbers, separators and groups in brackets, and ends
/// where a sentence begins. What has no meaning yet becomes a part of the header only when a level, a time or
/// a separator follows; otherwise it is the beginning of the message. Levels are words in capitals in the
/// header (`ERROR`), in brackets or bars (`[error]`), before a colon (`error:`), or right after the time that
/// a line begins with, in a column or after a zone (`10:20:30Z error`). A word within a sentence is no level.
struct LineHeader {
    typealias Bytes = UnsafeRawBufferPointer

    /// How much the walk is to find out.
    enum Extent { case time, level, head, all }

    /// How far into a line it looks.
    static let reach = 512

    private(set) var time: LineTime.Found?
    private(set) var level: LogLevel?
    private(set) var parts = Parts()
    /// Where the message begins.
    private(set) var start: Int
    /// Whether the line of another program follows: after the tag of syslog, or the stream of a container.
    private(set) var isWrapped = false

    /// Ranges of the line.
    struct Parts {
        @Near var category: Range<Int>?
        @Near var thread: Range<Int>?
        @Near var pid: Range<Int>?
        @Near var source: Range<Int>?
        @Near var host: Range<Int>?
        @Near var client: Range<Int>?
        @Near var stream: Range<Int>?

        var isEmpty: Bool {
            category == nil && thread == nil && pid == nil && source == nil && host == nil && client == nil
                && stream == nil
        }

        mutating func take(_ other: Parts) {
            _category.take(other._category)
            _thread.take(other._thread)
            _pid.take(other._pid)
            _source.take(other._source)
            _host.take(other._host)
            _client.take(other._client)
            _stream.take(other._stream)
        }
    }

    /// A range within the reach, in eight bytes.
    @propertyWrapper struct Near {
        private var start: Int32 = -1
        private var end: Int32 = 0

        init() {}

        var wrappedValue: Range<Int>? {
            get { start < 0 ? nil : Int(start)..<Int(end) }
            set {
                start = Int32(truncatingIfNeeded: newValue?.lowerBound ?? -1)
                end = Int32(truncatingIfNeeded: newValue?.upperBound ?? 0)
            }
        }

        /// Takes the other range if this one is empty.
        @inline(__always)
        mutating func take(_ other: Near) { if start < 0 { self = other } }
    }

    private let line: Bytes
    private let times: LineTime
    private let extent: Extent
    private let from: Int
    private let end: Int
    private var index: Int
    /// What belongs to the header if something follows that does.
    private var pending = Parts()
    private var names = 0
    private var timeStart = Int.max
    /// Where the bracket closes in which the walk is.
    private var closing: Int?
    /// Whether the level is in capitals or brackets, or has a colon after it.
    private var isLevelMarked = false
    private var hasLevelColon = false
    /// Whether the last token can be in front of a word with a colon that is a level.
    private var isOpen = true
    private let hasPriority: Bool

    /// Reads a line from a place; `level` is the one that the priority in front of it says.
    init(_ line: Bytes, _ times: LineTime, _ extent: Extent, from: Int = 0, level: LogLevel? = nil) {
        (self.line, self.times, self.extent, self.from) = (line, times, extent, from)
        self.level = level
        hasPriority = level != nil
        (index, start) = (from, from)
        end = min(line.count, from + LineHeader.reach)
        if !readSpecial() { walk() }
    }

    private mutating func commit(_ place: Int) {
        if !pending.isEmpty {
            parts.take(pending)
            pending = Parts()
        }
        names = 0
        index = place
        start = place
        isOpen = true
    }

    private var isDone: Bool {
        switch extent {
        case .time: isTimeKnown
        case .level: level != nil
        case .head: level != nil && isTimeKnown
        case .all: false
        }
    }

    /// Whether there is a time that no other replaces.
    private var isTimeKnown: Bool {
        guard let time else { return false }
        return time.moment != nil || time.hasUnknownZone
    }

    // MARK: The walk

    private mutating func walk() {
        var tokens = 0
        while tokens < 24, !isDone {
            while index < end, isBlank(index) { index += 1 }
            guard index < end else { return }
            tokens += 1
            let byte = line[index]
            let goesOn: Bool
            if let closing, index == closing {
                self.closing = nil
                commit(index + 1)
                goesOn = true
            } else if byte.isLetter || byte == 0x5F || byte == 0x2F || byte == 0x7E {
                goesOn = readWord()
            } else if byte.isDigit {
                goesOn = readNumber()
            } else if byte >= 0x80 {
                goesOn = skipSymbol()
            } else {
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "{"):
                    goesOn = readGroup()
                case UInt8(ascii: "\""): goesOn = readQuote()
                case UInt8(ascii: "@"): goesOn = readTime()
                default: goesOn = readSeparator()
                }
            }
            if !goesOn { break }
        }
        if time == nil, extent != .level || level == nil { readTimeWithin() }
    }

    private func isBlank(_ index: Int) -> Bool { line[index] == 0x20 || line[index] == 0x09 }

    private func isBlankOrEnd(_ index: Int) -> Bool { index >= line.count || isBlank(index) }

    private func afterBlanks(_ index: Int) -> Int {
        var index = index
        while index < end, isBlank(index) { index += 1 }
        return index
    }

    private func byte(_ index: Int) -> UInt8 { index >= from && index < line.count ? line[index] : 0x20 }

    private mutating func readTime() -> Bool {
        guard let found = times.read(line, at: index) else { return false }
        take(found)
        return true
    }

    private mutating func take(_ found: LineTime.Found) {
        let place = index
        if time == nil { timeStart = place }
        if !isTimeKnown { time = found }
        pending.category = nil
        commit(found.end)
        guard level == nil || hasPriority, !found.isDay, extent != .time || found.moment == nil else {
            return
        }
        // A level comes next in most lines.
        let next = afterBlanks(index)
        if next > index, next < end, line[next].isLetter, level == nil {
            index = next
            if readLevel() { return }
            index = start
        }
        if !readApple() { readSyslog(found, isFirst: place <= from + 1) }
    }

    /// A token of non-ASCII characters, such as the heart of SwiftyBeaver.
    private mutating func skipSymbol() -> Bool {
        guard level == nil, time != nil, !isBlankOrEnd(index) else { return false }
        while index < end, line[index] >= 0x80 { index += 1 }
        return isBlankOrEnd(index)
    }

    private mutating func readQuote() -> Bool {
        guard index == from, let found = times.read(line, at: index + 1), byte(found.end) == 0x22,
            !found.isDay
        else { return false }
        time = found
        timeStart = index + 1
        commit(found.end + 1)
        return true
    }

    // MARK: Separators and numbers

    private mutating func readSeparator() -> Bool {
        let first = index
        while index < end, line[index].isOne(of: "-|:,>=*#;.") { index += 1 }
        if index == first {
            // A bracket that closes what the walk did not see open: `25376]INFO:`.
            guard line[index] == UInt8(ascii: "]"), pending.pid != nil else { return false }
            index += 1
            commit(index)
            return true
        }
        let isAlone = isBlankOrEnd(index) && (first == from || isBlank(first - 1))
        let isJoin = index - first <= 2 && line[first].isOne(of: ":,|")
        // A number after a mark: `#4711`.
        if line[first] == UInt8(ascii: "#"), byte(index).isDigit, time != nil { return true }
        guard isAlone || isJoin || first == from else { return false }
        isOpen = true
        if afterBlanks(start) == first || start == first {
            commit(index)
            // The message begins after the dash behind a level.
            return !(level != nil && isAlone && line[first] == 0x2D && parts.category != nil)
        }
        if level != nil, isAlone || isJoin {
            // `17 - 18` is text, `4711 --- [main]` is not.
            guard !pending.isEmpty, !(isJustNumber && index - first < 3) else { return false }
            commit(index)
            return parts.category == nil
        }
        return true
    }

    private func isSeparator(_ place: Int) -> Bool {
        guard place < end, line[place].isOne(of: ":-|") else { return false }
        var last = place
        while last < end, line[last] == line[place] { last += 1 }
        return last - place <= 3 && isBlankOrEnd(last)
    }

    /// Whether a number without brackets is all that is pending.
    private var isJustNumber: Bool {
        guard let pid = pending.pid, pending.category == nil, pending.thread == nil, pending.source == nil
        else { return false }
        return byte(pid.lowerBound - 1) == 0x20
    }

    private mutating func readNumber() -> Bool {
        if let found = times.read(line, at: index), !found.isDay || index == from {
            take(found)
            return true
        }
        if time == nil, extent != .level || from == index, let found = epoch() {
            take(found)
            return true
        }
        let first = index
        while index < end, !isBlank(index), !line[index].isOne(of: "[](){}|,;\"") { index += 1 }
        let last = line[index - 1] == 0x3A ? index - 1 : index
        if let mark = line[first..<last].firstIndex(of: UInt8(ascii: "#")), level != nil {
            pending.pid = first..<mark
            pending.thread = mark + 1..<last
            commit(index)
            return true
        }
        if last - first == 36, isTabbed(first, last) {
            // The request of a function.
            commit(last)
        } else if line[first..<last].allSatisfy(\.isDigit) {
            if level == nil, time != nil, byte(afterBlanks(last)) == UInt8(ascii: "[") {
                pending.thread = first..<last
            } else if pending.pid == nil, parts.pid == nil {
                pending.pid = first..<last
            } else {
                pending.thread = first..<last
            }
        }
        isOpen = line[index - 1] == 0x3A
        return names < 5 || level == nil
    }

    private func isLevelWord(_ start: Int) -> Bool {
        var last = start
        while last < end, line[last].isLetter { last += 1 }
        return LevelWord.meaning(line, start..<last).map { !$0.isWeak } ?? false
    }

    /// A number of seconds since 1970, where that cannot be anything else.
    private func epoch() -> LineTime.Found? {
        guard let found = times.number(line, at: index) else { return nil }
        let next = byte(found.end)
        if index == from {
            // A number that begins a sentence is no time.
            let word = afterBlanks(found.end)
            let isPrecise = found.end - index > 13
            guard isPrecise || next != 0x20 || byte(word) &- 0x61 >= 26 || isLevelWord(word) else {
                return nil
            }
            return next.isOne(of: " \t:,|") || found.end >= line.count ? found : nil
        }
        // `- 1117838570 2005.06.03 R02…`, and `10000 1697048351.000001 execve(…`.
        let isDated =
            found.end + 11 < line.count && byte(found.end + 5) == 0x2E && byte(found.end + 8) == 0x2E
        let isPrecise =
            found.end - index >= 14 && byte(index + 10) == 0x2E && pending.pid != nil && names == 0
        return isDated || isPrecise ? found : nil
    }

    // MARK: Groups

    private mutating func readGroup() -> Bool {
        let open = line[index]
        let first = index + 1
        if open == UInt8(ascii: "["), let found = times.read(line, at: first),
            !found.isDay || byte(found.end) == 0x5D
        {
            index = first
            closing = line[found.end..<end].firstIndex(of: UInt8(ascii: "]"))
            take(found)
            return true
        }
        guard let close = closing(of: open), close > first else { return false }
        var inner = first..<close
        while inner.upperBound > inner.lowerBound, isBlank(inner.upperBound - 1) {
            inner = inner.lowerBound..<inner.upperBound - 1
        }
        while inner.lowerBound < inner.upperBound, isBlank(inner.lowerBound) {
            inner = inner.lowerBound + 1..<inner.upperBound
        }
        guard !inner.isEmpty else { return false }
        let isAdjacent = byte(index - 1) == UInt8(ascii: "]") && open == UInt8(ascii: "[")
        let isTight = inner.count == close - first || line.isCapitals(inner)
        if level == nil, open != UInt8(ascii: "<") || isBlankOrEnd(close + 1),
            isTight && readLevel(inGroup: inner) || isSystemOfMySQL(inner, close)
        {
            commit(close + 1)
            isLevelMarked = true
            if byte(index) == 0x3A { commit(index + 1) }
            return true
        }
        index = close + 1
        switch open {
        case UInt8(ascii: "{"):
            guard line.isPlace(inner) else { return false }
            pending.source = inner
        case UInt8(ascii: "<"):
            guard level != nil, isBlankOrEnd(index) else { return false }
            commit(index)
        case UInt8(ascii: "("):
            if line.isPlace(inner) {
                pending.source = inner
            } else if line[inner].allSatisfy(\.isDigit), level != nil {
                pending.pid = inner
            } else {
                return false
            }
        default:
            readBracket(inner, isAdjacent: isAdjacent)
        }
        isOpen = true
        return true
    }

    private mutating func readBracket(_ inner: Range<Int>, isAdjacent: Bool) {
        if line[inner].allSatisfy(\.isDigit) {
            if isAdjacent { pending.thread = inner } else { pending.pid = inner }
            if time != nil, level == nil, names == 0 { commit(index) }
        } else if line.begins("pid ", inner), let colon = line[inner].firstIndex(of: 0x3A) {
            pending.pid = inner.lowerBound + 4..<colon
            if line.begins("tid ", colon + 1..<inner.upperBound) {
                pending.thread = colon + 5..<inner.upperBound
            }
            commit(index)
        } else if line.begins("client ", inner) {
            pending.client = inner.lowerBound + 7..<inner.upperBound
            commit(index)
        } else if isUptime(inner), index - inner.count - 2 <= from + 8, time == nil {
            commit(index)
        } else if line.isPlace(inner) {
            pending.source = inner
            if level != nil { commit(index) }
        } else if level != nil, isAdjacent, parts.category == nil {
            pending.category = inner
            commit(index)
        } else if level != nil, line.begins("MY-", inner) {
            let next = afterBlanks(index)
            commit(index)
            if byte(next) == UInt8(ascii: "["), let close = line[next..<end].firstIndex(of: UInt8(ascii: "]"))
            {
                pending.category = next + 1..<close
                commit(close + 1)
            }
        } else if byte(index) == 0x3A, level != nil, line.looksLikeLogger(inner) {
            let last = line[inner.upperBound - 1] == 0x2F ? inner.upperBound - 1 : inner.upperBound
            pending.category = inner.lowerBound..<last
            commit(index + 1)
        } else if level != nil, parts.category == nil, line.looksLikeLogger(inner), line[inner].contains(0x2E)
        {
            // `[org.acme.Pay] (thread-1) text`.
            pending.category = inner
            let next = afterBlanks(index)
            if byte(next) == UInt8(ascii: "("),
                let close = line[next..<end].firstIndex(of: UInt8(ascii: ")")),
                line[next + 1..<close].allSatisfy({ $0 > 0x20 })
            {
                pending.thread = next + 1..<close
                index = close + 1
            }
            commit(index)
        } else if line.begins("id=", inner) {
            pending.thread = inner.lowerBound + 3..<inner.upperBound
        } else {
            pending.thread = inner
        }
    }

    /// `[System] [MY-010931]`.
    private mutating func isSystemOfMySQL(_ inner: Range<Int>, _ close: Int) -> Bool {
        guard line.isWord("System", inner), line.begins(" [MY-", close + 1..<end) else { return false }
        level = .info
        return true
    }

    /// `   12.345678` of the kernel.
    private func isUptime(_ inner: Range<Int>) -> Bool {
        line[inner].contains(0x2E) && line[inner].allSatisfy { $0.isDigit || $0 == 0x2E || $0 == 0x20 }
    }

    /// `error`, `core:error`, `Server thread/INFO`, `E`.
    private mutating func readLevel(inGroup inner: Range<Int>) -> Bool {
        // `TASK [debug]` is no level.
        let isNamed = !isOpen && names > 0 && !line.isCapitals(inner)
        if let meaning = LevelWord.meaning(line, inner), !isNamed {
            level = meaning.level
            return true
        }
        if inner.count == 1, line[index] == UInt8(ascii: "["), time != nil || index == from,
            line[inner.lowerBound].isOne(of: "VDIWEF"), let found = LevelWord.letter(line[inner.lowerBound])
        {
            level = found
            return true
        }
        guard let mark = line[inner].lastIndex(where: { $0 == 0x3A || $0 == 0x2F }),
            let meaning = LevelWord.meaning(line, mark + 1..<inner.upperBound), mark > inner.lowerBound
        else { return false }
        let isThread = line[mark] == 0x2F
        guard !isThread || line.isCapitals(mark + 1..<inner.upperBound) else { return false }
        level = meaning.level
        if isThread {
            pending.thread = inner.lowerBound..<mark
        } else {
            pending.category = inner.lowerBound..<mark
        }
        return true
    }

    private func closing(of open: UInt8) -> Int? {
        let close: UInt8 = open == 0x28 ? 0x29 : open + 2
        var depth = 0
        for place in index..<min(end, index + 256) {
            if line[place] == open { depth += 1 }
            if line[place] == close {
                depth -= 1
                if depth == 0 { return place }
            }
        }
        return nil
    }

    // MARK: Words

    private mutating func readWord() -> Bool {
        let first = index
        if level == nil {
            if readLevel() { return true }
            if time != nil, byte(first + 1) == 0x2F, let found = LevelWord.letter(line[first]),
                line[first] & 0x20 == 0,
                readTag(found, first + 2)
            {
                return true
            }
        }
        if line[first].isLetter, let found = times.read(line, at: first) {
            take(found)
            return true
        }
        var last = first
        while last < end, !isBlank(last), !line[last].isOne(of: "[](){}<>|\",;") { last += 1 }
        guard last > first else { return false }
        if level == nil, readChannel(first..<last) { return true }
        if readPair(first..<last) { return true }
        if level != nil { return readName(first, last) }
        return readNameBeforeLevel(first, last)
    }

    /// A level in the header, by the rules that are above.
    private mutating func readLevel() -> Bool {
        var last = index
        while last < end, line[last].isLetter { last += 1 }
        let length = last - index
        if length == 1 { return readLetter() }
        var after = byte(last)
        let word = index..<last
        guard let meaning = LevelWord.meaning(line, word) else { return false }
        if after.isDigit, meaning.level == .debug, length == 5, byte(last + 1) == 0x3A, time != nil {
            last += 1
            after = 0x3A
        }
        // `ERRO[0012]` of logrus.
        if after == UInt8(ascii: "["), byte(last + 5) == UInt8(ascii: "]"), line.number(last + 1, 4) != nil,
            line.isCapitals(word)
        {
            level = meaning.level
            isLevelMarked = true
            commit(last + 6)
            return true
        }
        let before = byte(index - 1)
        let isInBar = before == 0x7C && after == 0x7C
        let isInThread = closing != nil && after == UInt8(ascii: "/")
        guard isBlankOrEnd(last) || after.isOne(of: ":|]),!") || isInThread,
            isBlankOrStart(index - 1) || before.isOne(of: ":|]([>,;\"")
                || before == 0x3D && index == from + 1
        else { return false }
        let isAfterTime = time != nil && start == afterBlanksBack(index) && hasNumericTime
        let hasColon = after == 0x3A
        if line.isCapitals(word) {
            guard !meaning.isWeak || hasColon || isInBar || after == UInt8(ascii: "]") || isAfterTime else {
                return false
            }
        } else {
            let isTabbed = byte(index - 1) == 0x09 && after == 0x09
            guard
                isInBar || (hasColon && isOpen) || isTabbed || (closing != nil && time != nil)
                    || (isAfterTime
                        && LevelWord.followsTime(line, word, meaning, hasZone: time?.hasZone == true))
            else { return false }
        }
        // `LogLevel: ERROR`: a name and a value.
        guard names == 0 || afterBlanks(last) < line.count else { return false }
        level = meaning.level
        isLevelMarked = line.isCapitals(word)
        hasLevelColon = hasColon
        if hasColon, parts.category == nil, pending.category == nil, let thread = pending.thread {
            // `[shop] error: …`: nothing else is the name of who wrote it.
            pending.category = thread
            pending.thread = nil
        }
        if isInThread, let closing {
            pending.thread = last + 1..<closing
            last = closing
        }
        commit(last)
        while byte(index) == 0x3A || byte(index) == 0x21 || (byte(index) == 0x2C && isBlankOrEnd(index + 1)) {
            commit(index + 1)
        }
        if byte(index) == 0x7C { commit(index + 1) }
        return true
    }

    private func afterBlanksBack(_ place: Int) -> Int {
        var place = place
        while place > start, isBlank(place - 1) { place -= 1 }
        return place
    }

    private func isBlankOrStart(_ place: Int) -> Bool { place < from || isBlank(place) }

    /// Whether the line begins with a time of digits.
    private var hasNumericTime: Bool { timeStart <= from + 1 && byte(timeStart).isDigit }

    /// `E` where only a level can be meant: `1234  1250 E Tag: …`, `C | etcdmain`, `I  NETWORK  [x]`.
    private mutating func readLetter() -> Bool {
        guard let found = LevelWord.letter(line[index]), line[index] &- 0x41 < 26 else { return false }
        let next = afterBlanks(index + 1)
        if index == from, byte(index + 1) == 0x2C, byte(index + 2) == 0x20,
            byte(index + 3) == UInt8(ascii: "[")
        {
            // The word comes after the time.
            commit(index + 2)
            return true
        }
        guard isBlankOrStart(index - 1), next > index + 1, next < end, time != nil else {
            return false
        }
        var word = next
        while word < end, line[word] &- 0x41 < 26 { word += 1 }
        let isAfterTime = start == afterBlanksBack(index)
        let isSystem = isAfterTime && word > next + 2 && isBlankOrEnd(word)
        guard pending.pid != nil || isAfterTime && byte(next) == 0x7C || isSystem else {
            return false
        }
        level = found
        isLevelMarked = true
        commit(next)
        if byte(next) == 0x7C { commit(next + 1) }
        guard isSystem, pending.pid == nil else { return true }
        pending.category = next..<word
        commit(word)
        let group = afterBlanks(word)
        if byte(group) == UInt8(ascii: "["), let close = line[group..<end].firstIndex(of: UInt8(ascii: "]")) {
            pending.thread = group + 1..<close
            commit(close + 1)
        }
        return true
    }

    /// `production.ERROR: `.
    private mutating func readChannel(_ word: Range<Int>) -> Bool {
        guard line[word.upperBound - 1] == 0x3A, let dot = line[word].lastIndex(of: 0x2E),
            let meaning = LevelWord.meaning(line, dot + 1..<word.upperBound - 1), dot > word.lowerBound,
            line.isCapitals(dot + 1..<word.upperBound - 1)
        else { return false }
        level = meaning.level
        isLevelMarked = true
        hasLevelColon = true
        pending.category = word.lowerBound..<dot
        commit(word.upperBound)
        return true
    }

    /// `request_id=F8aB` in front of the level.
    private mutating func readPair(_ word: Range<Int>) -> Bool {
        guard level == nil, time != nil, let equals = line[word].firstIndex(of: UInt8(ascii: "=")),
            equals > word.lowerBound, line[word.lowerBound..<equals].allSatisfy(\.isOfName)
        else { return false }
        index = word.upperBound
        if equals + 1 == index, byte(index) == 0x22 {
            guard let close = line[index + 1..<end].firstIndex(of: 0x22) else { return false }
            index = close + 1
        }
        isOpen = true
        return true
    }

    /// A name after the level: the category, the source, or the beginning of the message.
    private mutating func readName(_ first: Int, _ last: Int) -> Bool {
        let word = first..<last
        let isTabbed = isTabbed(first, last)
        if last == closing, line.looksLikeLogger(word) || line.looksLikeModule(word) {
            pending.category = word
            commit(last + 1)
            return false
        }
        if isTabbed, word.count == 36 {
            commit(last)
            return true
        }
        if line.isPlace(word) {
            pending.source = word
            commit(last)
            if isTabbed || parts.category != nil { return isTabbed }
            // `app.main:run:12 - text` of loguru.
            let next = afterBlanks(last)
            if line[word].count(where: { $0 == 0x3A }) == 2, byte(next) == 0x2D, isSeparator(next) {
                commit(next + 1)
            }
            return false
        }
        // `root:text` right after `ERROR:`.
        if hasLevelColon, start == first, parts.category == nil,
            let colon = line[word].firstIndex(of: 0x3A), colon > first,
            line[first..<colon].allSatisfy(\.isOfName)
        {
            pending.category = first..<colon
            commit(colon + 1)
            return false
        }
        // `Shop.Pay|text`, and `fail: Shop.Pay[0]`.
        if byte(first - 1) == 0x7C, byte(last) == 0x7C, parts.category == nil {
            pending.category = word
            commit(last + 1)
            return false
        }
        if byte(last) == UInt8(ascii: "["), line.looksLikeLogger(word),
            let close = line[last..<end].firstIndex(of: 0x5D),
            close > last + 1, line[last + 1..<close].allSatisfy(\.isDigit), parts.category == nil
        {
            pending.category = word
            commit(close + 1)
            return false
        }
        guard parts.category == nil else { return false }
        // `request{id=7}:` of a span.
        if byte(last) == UInt8(ascii: "{"), let close = line[last..<end].firstIndex(of: UInt8(ascii: "}")),
            byte(close + 1) == 0x3A
        {
            commit(close + 2)
            return true
        }
        if byte(last - 1) == 0x3A, isBlankOrEnd(last), last - first > 1 {
            let name = first..<last - 1
            guard
                line.looksLikeLogger(name) || (isLevelMarked && !hasLevelColon && line.looksLikeModule(name))
            else {
                return false
            }
            pending.category = name
            commit(last)
            return false
        }
        if isTabbed, byte(last + 1) != UInt8(ascii: "{"),
            line.looksLikeLogger(word) || line.looksLikeModule(word)
        {
            pending.category = word
            commit(last)
            return true
        }
        let next = afterBlanks(last)
        // `Application : text`, `Pay - text`, `Pay (Pay.java:42) - text`.
        if next > last, isSeparator(next) {
            let isColon = line[next] == 0x3A
            guard
                isColon || line.looksLikeLogger(word) || isLevelMarked && line.looksLikeModule(word)
                    || pending.thread != nil
            else { return false }
            pending.category = word
            var place = next
            while place < end, !isBlank(place) { place += 1 }
            commit(place)
            if isColon, !isLevelMarked { readModule() }
            return false
        }
        if next > last, byte(next) == UInt8(ascii: "("), line.looksLikeLogger(word),
            let close = line[next..<end].firstIndex(of: UInt8(ascii: ")")), line.isPlace(next + 1..<close),
            isSeparator(afterBlanks(close + 1))
        {
            pending.category = word
            pending.source = next + 1..<close
            commit(afterBlanks(close + 1) + 1)
            return false
        }
        // `payments Shop.swift:42 text`, as Heartwood writes it.
        var second = next
        while second < end, !isBlank(second) { second += 1 }
        if next > last, line.isPlace(next..<second) {
            pending.category = word
            pending.source = next..<second
            commit(second)
            return false
        }
        let isNamed = parts.pid != nil || pending.pid != nil || pending.thread != nil || parts.thread != nil
        if isLevelMarked, time != nil, isBlankOrEnd(last), line.looksLikeLogger(word), !hasLevelColon,
            isNamed || line[word].count(where: { $0 == 0x2E }) > 1
        {
            pending.category = word
            commit(last)
        }
        return false
    }

    private func isTabbed(_ first: Int, _ last: Int) -> Bool { byte(first - 1) == 0x09 && byte(last) == 0x09 }

    /// `order=17 [Shop]` after the label of swift-log.
    private mutating func readModule() {
        var place = afterBlanks(index)
        while place < end, line[place] != UInt8(ascii: "[") {
            guard let equals = line[place..<end].firstIndex(of: UInt8(ascii: "=")),
                line[place..<equals].allSatisfy(\.isOfName)
            else { return }
            while place < end, !isBlank(place) { place += 1 }
            place = afterBlanks(place)
        }
        guard place < end, let close = line[place..<end].firstIndex(of: UInt8(ascii: "]")),
            line[place + 1..<close].allSatisfy(\.isOfName), isBlankOrEnd(close + 1)
        else { return }
        commit(close + 1)
    }

    /// A name in front of the level, if one follows.
    private mutating func readNameBeforeLevel(_ first: Int, _ last: Int) -> Bool {
        var word = first..<last
        names += 1
        guard names <= 4 else { return false }
        var colons = 0
        while word.count > 1, line[word.upperBound - 1] == 0x3A {
            word = word.lowerBound..<word.upperBound - 1
            colons += 1
        }
        if colons == 1, line.isPlace(word), time != nil {
            pending.source = word
            commit(last)
            return true
        }
        // `MainThread::INFO::`: the walk goes on after the colons.
        if let colon = line[word].firstIndex(of: 0x3A), colon > first, colons == 0, isLevelAhead(colon) {
            pending.category = first..<colon
            index = colon + (byte(colon + 1) == 0x3A ? 2 : 1)
            isOpen = true
            return true
        }
        // `sshd[24680]: `.
        if byte(last) == UInt8(ascii: "["), let close = line[last..<end].firstIndex(of: UInt8(ascii: "]")),
            close > last + 1, line[last + 1..<close].allSatisfy(\.isDigit), byte(close + 1) == 0x3A
        {
            pending.category = word
            pending.pid = last + 1..<close
            index = close + 2
            isOpen = true
            return true
        }
        // What an exception says is no header: `PSQLException: ERROR: syntax error`.
        if colons > 0, time == nil, line.isException(word) { return false }
        index = last
        let next = afterBlanks(last)
        if colons > 0 || isSeparator(next) || byte(last) == 0x7C {
            isOpen = true
            pending.category = word
            return true
        }
        isOpen = false
        let bytes = line[word]
        let isPlain =
            bytes.allSatisfy { $0.isLetter } && !line.isCapitals(word)
            && bytes.dropFirst().allSatisfy { $0 & 0x20 != 0 }
        guard isPlain else {
            if line.looksLikeLogger(word) { pending.category = word }
            return true
        }
        guard names == 1, isCapitalLevel(next), LineHeader.ofSentences.value(line, word) == nil,
            time != nil || line[word.lowerBound] & 0x20 != 0
        else { return false }
        pending.category = word
        return true
    }

    private static let ofSentences = WordTable<Bool>([
        "no not an a the any all some this that these with without of in on is was are were be been": true,
        "and or to for from by at as if when while got get see saw has had have its it there user": true,
    ])

    private func isLevelAhead(_ colon: Int) -> Bool {
        let start = byte(colon + 1) == 0x3A ? colon + 2 : colon + 1
        return isCapitalLevel(start)
    }

    private func isCapitalLevel(_ start: Int) -> Bool {
        var last = start
        while last < end, line[last].isLetter { last += 1 }
        guard last > start, line.isCapitals(start..<last), LevelWord.meaning(line, start..<last) != nil else {
            return false
        }
        return isBlankOrEnd(last) || line[last].isOne(of: ":|]),!")
    }

    // MARK: Syslog and containers

    /// `web1 sshd[24200]: ` after the time, or `stderr F `.
    private mutating func readSyslog(_ found: LineTime.Found, isFirst: Bool) {
        let hostStart = afterBlanks(index)
        guard hostStart > index else { return }
        let hostEnd = word(at: hostStart).upperBound
        // `shop[4711:81234] ` of NSLog.
        if byte(hostEnd - 1) == UInt8(ascii: "]"),
            let open = line[hostStart..<hostEnd].firstIndex(of: UInt8(ascii: "[")),
            let colon = line[open..<hostEnd].firstIndex(of: 0x3A), open > hostStart,
            line[open + 1..<colon].allSatisfy(\.isDigit), line[colon + 1..<hostEnd - 1].allSatisfy(\.isDigit)
        {
            pending.category = hostStart..<open
            pending.pid = open + 1..<colon
            pending.thread = colon + 1..<hostEnd - 1
            return commit(hostEnd)
        }
        if isFirst, isStream(hostStart..<hostEnd), isBlankOrEnd(hostEnd + 2),
            byte(hostEnd + 1).isOne(of: "FP")
        {
            pending.stream = hostStart..<hostEnd
            isWrapped = true
            commit(min(line.count, hostEnd + 3))
            return
        }
        guard
            line[hostStart..<hostEnd].allSatisfy({ $0.isOfName || $0 == 0x3A || $0 == 0x40 || $0 == 0x2F }),
            LevelWord.meaning(line, hostStart..<hostEnd) == nil
        else { return }
        let tagStart = afterBlanks(hostEnd)
        var nameEnd = tagStart
        while nameEnd < end, !isBlank(nameEnd), !line[nameEnd].isOne(of: "[:(") { nameEnd += 1 }
        guard nameEnd > tagStart, line[tagStart] != 0x2D else { return }
        var last = nameEnd
        if byte(last) == UInt8(ascii: "(") {
            guard let close = line[last..<end].firstIndex(of: UInt8(ascii: ")")) else { return }
            last = close + 1
        }
        var pid: Range<Int>?
        if byte(last) == UInt8(ascii: "["), let close = line[last..<end].firstIndex(of: UInt8(ascii: "]")),
            line[last + 1..<close].allSatisfy(\.isDigit)
        {
            pid = last + 1..<close
            last = close + 1
        }
        let isTag = byte(last) == 0x3A && isBlankOrEnd(last + 1)
        guard
            isTag ? (found.isOfSyslog || pid != nil) : (pid != nil && found.isOfSyslog && isBlankOrEnd(last))
        else { return }
        pending.host = hostStart..<hostEnd
        pending.category = tagStart..<nameEnd
        pending.pid = pid
        isWrapped = isTag
        commit(isTag ? last + 1 : last)
    }

    /// `0x1e2cd    Error    0x0    4711   14   shop: (Pay) [com.acme.shop:pay] text` of Apple's unified log.
    private mutating func readApple() -> Bool {
        let thread = word(at: index)
        guard line.begins("0x", thread) else { return false }
        let kind = word(at: thread.upperBound)
        let activity = word(at: kind.upperBound)
        let meaning = line.isWord("Default", kind) ? .notice : LevelWord.meaning(line, kind)?.level
        guard line.begins("0x", activity), let meaning else { return false }
        level = meaning
        isLevelMarked = true
        let pid = word(at: activity.upperBound)
        let name = word(at: word(at: pid.upperBound).upperBound)
        pending.thread = thread
        pending.pid = pid
        guard !name.isEmpty, byte(name.upperBound - 1) == 0x3A else {
            commit(pid.upperBound)
            return true
        }
        pending.category = name.lowerBound..<name.upperBound - 1
        var last = name.upperBound
        let library = word(at: last)
        if byte(library.lowerBound) == UInt8(ascii: "("), byte(library.upperBound - 1) == UInt8(ascii: ")") {
            last = library.upperBound
        }
        let subsystem = word(at: last)
        if byte(subsystem.lowerBound) == UInt8(ascii: "["),
            byte(subsystem.upperBound - 1) == UInt8(ascii: "]")
        {
            pending.category = subsystem.lowerBound + 1..<subsystem.upperBound - 1
            last = subsystem.upperBound
        }
        commit(last)
        return true
    }

    /// The word after the blanks at a place.
    private func word(at place: Int) -> Range<Int> {
        let first = afterBlanks(place)
        var last = first
        while last < end, !isBlank(last) { last += 1 }
        return first..<last
    }

    private func isStream(_ word: Range<Int>) -> Bool {
        line.isWord("stdout", word) || line.isWord("stderr", word)
    }

    // MARK: Special beginnings

    /// Lines that begin as no others do; false where the walk is to read them.
    private mutating func readSpecial() -> Bool {
        guard from + 8 < line.count else { return false }
        let first = line[from]
        if first.isLetter { return readGoogle() || readBrief() || readTagged() }
        if first.isDigit { return readRedis() || readCluster() }
        // `#+1162490366` in the history of a shell.
        guard first == UInt8(ascii: "#"), line[from + 1] == 0x2B,
            let found = times.number(line, at: from + 2), found.end == line.count
        else { return false }
        time = found
        commit(found.end)
        return true
    }

    /// `E1120 10:20:30.123456  77 main.cc:12] text`, also with a year.
    private mutating func readGoogle() -> Bool {
        guard let found = LevelWord.letter(line[from]), line[from] &- 0x41 < 26 else { return false }
        let hasYear = line.number(from + 1, 8) != nil
        let digits = hasYear ? 8 : 4
        guard line.number(from + 1, digits) != nil, byte(from + 1 + digits) == 0x20,
            byte(from + 4 + digits) == 0x3A,
            let moment = times.google(line, from + 1, digits)
        else { return false }
        level = found
        time = moment
        commit(moment.end)
        let thread = afterBlanks(index)
        var place = thread
        while place < end, line[place].isDigit { place += 1 }
        let source = afterBlanks(place)
        guard place > thread, let close = line[source..<end].firstIndex(of: UInt8(ascii: "]")),
            line.isPlace(source..<close)
        else { return true }
        pending.thread = thread..<place
        pending.source = source..<close
        commit(close + 1)
        return true
    }

    /// `E AndroidRuntime: FATAL EXCEPTION`, as logcat writes it without times.
    private mutating func readTagged() -> Bool {
        guard line[from].isOne(of: "VDIWEF"), line[from + 1] == 0x20, line[from + 2] &- 0x41 < 26 else {
            return false
        }
        let tag = word(at: from + 2)
        let hasColon = byte(tag.upperBound - 1) == 0x3A
        let name = tag.lowerBound..<(hasColon ? tag.upperBound - 1 : tag.upperBound)
        let colon = hasColon ? tag.upperBound - 1 : afterBlanks(tag.upperBound)
        guard name.count > 2, line[name].allSatisfy(\.isOfName), byte(colon) == 0x3A, isBlankOrEnd(colon + 1)
        else { return false }
        level = LevelWord.letter(line[from])
        pending.category = name
        commit(colon + 1)
        return true
    }

    /// `E/Tag( 123): text`.
    private mutating func readBrief() -> Bool {
        guard line[from + 1] == UInt8(ascii: "/"), let found = LevelWord.letter(line[from]),
            line[from] &- 0x41 < 26
        else { return false }
        return readTag(found, from + 2)
    }

    /// `Tag( 123): text`: only with the number, so that a path is not taken for it.
    private mutating func readTag(_ found: LogLevel, _ first: Int) -> Bool {
        guard let open = line[first..<min(end, first + 90)].firstIndex(of: UInt8(ascii: "(")), open > first,
            let close = line[open..<min(end, open + 12)].firstIndex(of: UInt8(ascii: ")")),
            byte(close + 1) == 0x3A
        else { return false }
        let number = line[open + 1..<close].drop { $0 == 0x20 }
        var last = open
        while last > first, isBlank(last - 1) { last -= 1 }
        guard !number.isEmpty, number.allSatisfy(\.isDigit), last > first + 1,
            line[first..<last].allSatisfy({ $0 > 0x20 })
        else { return false }
        level = found
        pending.category = first..<last
        pending.pid = number.indices
        commit(close + 2)
        return true
    }

    /// `4711:M 20 Nov 2026 10:20:30.123 * text`.
    private mutating func readRedis() -> Bool {
        var place = from
        while place < end, line[place].isDigit, place - from < 10 { place += 1 }
        guard byte(place) == 0x3A, byte(place + 1).isOne(of: "MSCX"), byte(place + 2) == 0x20,
            let found = times.read(line, at: place + 3), byte(found.end) == 0x20, byte(found.end + 2) == 0x20
        else { return false }
        switch byte(found.end + 1) {
        case UInt8(ascii: "."): level = .debug
        case UInt8(ascii: "-"): level = .info
        case UInt8(ascii: "*"): level = .notice
        case UInt8(ascii: "#"): level = .warning
        default: return false
        }
        time = found
        pending.pid = from..<place
        commit(found.end + 2)
        return true
    }

    /// `344518 node-246 unix.hw state_change.unavailable 1084270955 1 text`: a number, three words, and a
    /// number since 1970.
    private mutating func readCluster() -> Bool {
        var place = from
        while place < end, line[place].isDigit, place - from < 10 { place += 1 }
        guard place > from, byte(place) == 0x20 else { return false }
        for word in 0..<3 {
            place += 1
            let first = place
            let isName = byte(first).isLetter || byte(first) == UInt8(ascii: "-")
            guard isName || word == 0 && byte(first).isDigit else { return false }
            while place < end, !isBlank(place) { place += 1 }
            guard byte(place) == 0x20 else { return false }
        }
        guard line.number(place + 1, 10) != nil, let found = times.number(line, at: place + 1) else {
            return false
        }
        let flag = word(at: found.end)
        guard flag.count == 1 || line.isWord("-1", flag), byte(flag.upperBound - 1).isDigit else {
            return false
        }
        time = found
        commit(flag.upperBound)
        return true
    }

    /// `… [20/Nov/2026:10:20:30 +0100] …`: the time of a web server, near the beginning, or of a heading.
    private mutating func readTimeWithin() {
        guard line.count > 12, let base = line.baseAddress else { return }
        let isHeading = isHeading
        let last = min(line.count - 12, from + 200)
        var place = from
        while place < last {
            defer { place += 1 }
            if !isHeading {
                guard let bracket = memchr(base + place, 0x5B, last - place) else { return }
                place = base.distance(to: UnsafeRawPointer(bracket))
            }
            let byte = line[place]
            if byte == UInt8(ascii: "["), line[place + 1].isDigit || line[place + 1].isLetter,
                let found = times.read(line, at: place + 1), !found.isDay, found.moment != nil,
                self.byte(found.end) == UInt8(ascii: "]"),
                !found.isOfSyslog || line[place + 1].isLetter || line[place + 3] == 0x2F
            {
                time = found
                if level == nil { commit(found.end + 1) }
                return
            }
            guard byte == 0x20 || byte == 0x28, isHeading else { continue }
            if let found = times.read(line, at: place + 1)
                ?? (byte == 0x28 ? times.number(line, at: place + 1) : nil),
                !found.isDay, found.moment != nil
            {
                time = found
                return
            }
        }
    }

    /// `# Time: …`, `==== … ====`.
    private var isHeading: Bool {
        let first = byte(from)
        return (first == UInt8(ascii: "#") || first == UInt8(ascii: "=")) && line.count < 400
    }
}

/// The shapes of words.
///
/// They are not asked of the header, which is large, and would be copied each time.
extension UnsafeRawBufferPointer {
    fileprivate func isCapitals(_ word: Range<Int>) -> Bool { self[word].allSatisfy { $0 &- 0x41 < 26 } }

    /// `com.acme.Pay`, `shop::pay`, `plugin/errors`, `hudson.lifecycle.Lifecycle#onReady`.
    fileprivate func looksLikeLogger(_ word: Range<Int>) -> Bool {
        guard let first = self[word].first, first.isLetter || first == 0x5F, let last = self[word].last,
            last.isLetter || last.isDigit || last == 0x29 || last == 0x5F || last == 0x2F
        else { return false }
        var isQualified = false
        for index in word {
            switch self[index] {
            case let byte where byte.isLetter || byte.isDigit: break
            case 0x3A where has("://", at: index, before: word.upperBound): return false
            case 0x2E, 0x3A, 0x2F, 0x5F, 0x24: isQualified = true
            case 0x2D, 0x23, 0x40: break
            default: return false
            }
        }
        return isQualified
    }

    /// `java.io.IOException`, `RuntimeError`.
    fileprivate func isException(_ word: Range<Int>) -> Bool {
        ends("Error", word) || ends("Exception", word) || ends("Warning", word)
    }

    /// `shop`, `SecurityManager`, `raft-node`: one word that is hardly the first of a sentence.
    fileprivate func looksLikeModule(_ word: Range<Int>) -> Bool {
        let bytes = self[word]
        guard bytes.allSatisfy(\.isOfName), let first = bytes.first, first.isLetter else { return false }
        if isException(word) { return false }
        let capitals = bytes.count { $0 &- 0x41 < 26 }
        guard bytes.contains(where: { $0 &- 0x61 < 26 }) else { return false }
        return first & 0x20 != 0 || capitals > 1 || bytes.contains { $0.isDigit || $0 == 0x2D }
    }

    /// `Shop.swift:42`.
    fileprivate func isPlace(_ word: Range<Int>) -> Bool {
        guard let colon = self[word].lastIndex(of: 0x3A), colon + 1 < word.upperBound else { return false }
        return self[colon + 1..<word.upperBound].allSatisfy(\.isDigit)
            && self[word.lowerBound..<colon].contains { $0.isLetter }
            && self[word.lowerBound..<colon].contains(0x2E)
            && self[word].allSatisfy { $0.isOfName || $0 == 0x3A || $0 == 0x2F || $0 == 0x2B || $0 == 0x40 }
    }

    fileprivate func begins(_ text: StaticString, _ range: Range<Int>) -> Bool {
        has(text, at: range.lowerBound, before: range.upperBound)
    }

    fileprivate func ends(_ text: StaticString, _ range: Range<Int>) -> Bool {
        let start = range.upperBound - text.utf8CodeUnitCount
        return start >= range.lowerBound && has(text, at: start, before: range.upperBound)
    }

    fileprivate func isWord(_ text: StaticString, _ range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && begins(text, range)
    }
}

extension UInt8 {
    /// Whether it may be in the name of a logger; a property, since a method of the header would copy that.
    @inline(__always)
    fileprivate var isOfName: Bool {
        isLetter || isDigit || self == 0x2E || self == 0x5F || self == 0x2D || self == 0x24
    }
}
