import CHeartwood
import Heartwood

/// What precedes the message of a line of text: the time, the level, and who wrote it.
///
/// ``HeaderTable`` lists the forms; this walks through it. What no row matches is the message. A time
/// in brackets, as web servers have it, is also found after other words. A word within a sentence is no
/// level: it is in capitals, in brackets, before a colon, or right after the time, as the rows say.
struct LineHeader {
    typealias Bytes = UnsafeRawBufferPointer

    /// How much is to be found out.
    enum Extent { case time, level, head, all }

    /// How far into a line it looks.
    static let reach = 512

    var time: LineTime.Found? { found.time }
    var level: LogLevel? { found.level }
    var parts: Parts { found.parts }
    /// Whether the line of another program follows: after the tag of syslog, or the stream of a container.
    var isWrapped: Bool { found.isWrapped }
    /// Where the message begins.
    private(set) var start = 0
    /// The row of the table that matches; -1 for none.
    private(set) var row = -1

    /// Ranges of the line.
    struct Parts {
        @Near var category: Range<Int>?
        @Near var thread: Range<Int>?
        @Near var pid: Range<Int>?
        @Near var source: Range<Int>?
        @Near var host: Range<Int>?
        @Near var client: Range<Int>?
        @Near var stream: Range<Int>?
        @Near var file: Range<Int>?
        @Near var fileLine: Range<Int>?
        @Near var pod: Range<Int>?
        @Near var container: Range<Int>?
        @Near var unit: Range<Int>?
        @Near var mnemonic: Range<Int>?

        mutating func nameByThread() { (_category, _thread) = (_thread, Near()) }

        mutating func rename(_ category: Range<Int>) {
            _category = Near()
            self.category = category
        }

        /// Whether another tool has put something in front of the line.
        var isOfTool: Bool { file ?? container ?? unit != nil }

        /// A hash of which file, container or process the line is of.
        func origin(in line: Bytes) -> UInt64 {
            [file, pod, container, unit].reduce(LineKey.Path()) { path, part in
                part.map { path.inside(line, $0) } ?? path
            }.hash
        }
    }

    /// A range within the reach, in four bytes; the first one that is set stays.
    @propertyWrapper struct Near {
        private var start: UInt16 = 0
        private var end: UInt16 = 0

        var wrappedValue: Range<Int>? {
            get { end == 0 ? nil : Int(start)..<Int(end) }
            set {
                guard end == 0, let newValue, !newValue.isEmpty else { return }
                (start, end) = (UInt16(newValue.lowerBound), UInt16(newValue.upperBound))
            }
        }
    }

    /// What was found on the way through the rows; it is dropped where a row does not match.
    private struct Found {
        var index = 0
        var time: LineTime.Found?
        var timeStart = Int.max
        var level: LogLevel?
        /// Whether the level is in capitals or brackets.
        var isMarked = false
        /// Whether the last token is a name with nothing after it: `TASK [debug]` has no level.
        var isNamed = false
        var parts = Parts()
        var isWrapped = false
        /// Whether the clock is one that was never set.
        var isUnset = false
    }

    private let line: Bytes
    private let times: LineTime
    private let extent: Extent
    private let end: Int
    private let hasPriority: Bool
    private var found = Found()
    /// What the line may have, where that was asked.
    private var scan: LineScan?
    /// Whether a level was looked for and not found, so that a scan of the line pays.
    private var hasMissed = false
    /// The time that was looked for last, and where.
    private var last: (index: Int, time: LineTime.Found?) = (-1, nil)

    /// Reads a line, or what follows the priority of one.
    init(_ line: Bytes, _ times: LineTime, _ extent: Extent, hasPriority: Bool = false) {
        (self.line, self.times, self.extent, self.hasPriority) = (line, times, extent, hasPriority)
        end = min(line.count, LineHeader.reach)
        found.index = afterBlanks(0)
        if !HeaderTable.tree.withUnsafeBufferPointer({ match($0, 0) }) { found = Found() }
        if time == nil, !isWrapped, extent != .level || level == nil { readTimeWithin() }
    }

    // MARK: The walk

    private mutating func match(_ tree: UnsafeBufferPointer<HeaderTable.Node>, _ node: Int) -> Bool {
        var next = Int(tree[node].child)
        let first = byte(found.index)
        while next != 0 {
            let this = next
            next = Int(tree[this].sibling)
            let part = tree[this].part
            guard part == .text ? tree[this].byte == first : tree[this].starts.mayHave(first) else {
                continue
            }
            if tree[this].needs != .nothing, node == 0 || hasMissed || part == .tokens,
                isInVain(tree[this].needs)
            {
                continue
            }
            let place = found.index
            if part == .tokens {
                if matchTokens(tree, this) { return true }
            } else if part == .text {
                guard place < end else { continue }
                found.index += 1
                if match(tree, this) { return true }
            } else if part.isSkipped {
                if take(part, before: tree[Int(tree[this].child)].byte), match(tree, this) { return true }
            } else {
                let saved = found
                if take(part, before: tree[Int(tree[this].child)].byte),
                    isEnough(part, node, place) || match(tree, this)
                {
                    return true
                }
                found = saved
                if part.needs == .level { hasMissed = true }
            }
            found.index = place
        }
        guard tree[node].row >= 0 else { return false }
        self.start = found.index
        row = Int(tree[node].row)
        return true
    }

    /// Whether the line lacks what all rows need that begin like this.
    private mutating func isInVain(_ needs: HeaderTable.Needs) -> Bool {
        guard needs.contains(.level) && found.level == nil || needs.contains(.time) && found.time == nil
        else {
            return false
        }
        let look = scan ?? LineScan(line)
        scan = look
        return needs.contains(.level) && found.level == nil && !look.mayHaveLevel
            || needs.contains(.time) && found.time == nil && !look.mayHaveTime
    }

    /// Continues after as few tokens of a header as possible.
    private mutating func matchTokens(
        _ tree: UnsafeBufferPointer<HeaderTable.Node>, _ node: Int
    ) -> Bool {
        let saved = found
        for _ in 0..<7 {
            found.index = afterBlanks(found.index)
            if match(tree, node) { return true }
            guard takeToken() else { break }
        }
        found = saved
        return false
    }

    /// Whether all that is asked for is known, whichever of the rows that begin like this will match.
    private func isEnough(_ part: HeaderTable.Part, _ node: Int, _ place: Int) -> Bool {
        guard extent != .all, let time = found.time, time.moment != nil else { return false }
        if extent == .time { return node == 0 && part == .time }
        return part == .levelAfterTime && afterBlanks(time.end) == place && found.index < end
            && isBlank(found.index)
    }

    /// Takes a part of a form at the place of the walk; `byte` comes after it in the form.
    private mutating func take(_ part: HeaderTable.Part, before byte: UInt8) -> Bool {
        let index = found.index
        switch part {
        case .blanks:
            found.index = afterBlanks(index)
            return found.index > index
        case .maybeBlanks: found.index = afterBlanks(index)
        case .timeOfSyslog: return time?.isOfSyslog == true
        case .time, .bareTime, .timeInBrackets, .epoch, .googleTime: return takeTime(part)
        case .epochInBrackets: return takeEpoch()
        case .uptime: return takeUptime()
        case .somethingAhead: return afterBlanks(index) < line.count
        case .levelAfterTime, .capitalLevel, .anyLevel: return takeLevel(part)
        case .levelInBrackets: return takeLevelInBrackets()
        case .levelLetter, .columnLetter, .twoLetters, .levelMark, .levelKind, .levelOfPHP:
            return takeSign(part)
        case .ciscoCode: return takeCode()
        case .endOfLevel, .innerEndOfLevel: return takeEndOfLevel(part)
        case .logger, .module, .name, .nameAndSeparator, .word, .capitalName: return takeName(part)
        case .separator: skipSeparator()
        case .tail: takeTail()
        case .nameAndColon: return takeName(before: 0x3A)
        case .nameAndDot: return takeName(before: 0x2E)
        case .syslogTag, .androidTag, .host: return takeTag(part)
        case .process, .threadNumber, .number, .fourDigits, .fileLine: return takeDigits(part)
        case .thread, .hexThread, .hexNumber, .anyWord, .identifier, .stream, .source:
            return takeWord(part, before: byte)
        case .inBrackets: return takeBrackets()
        case .anything, .parentheses, .client: return skip(part, to: byte)
        case .symbol:
            found.index = line[index..<max(index, end)].firstIndex { $0 < 0x80 } ?? end
            return found.index > index
        case .pairs: return skipPairs()
        case .file, .fileAndBlank, .pod, .container, .unit: return takePrefix(part, before: byte)
        case .lineAhead: return beginsLine(index)
        case .dateAhead: return beginsDate(index)
        case .line: found.isWrapped = true
        case .priority: return hasPriority
        case .text, .tokens: return false
        }
        return true
    }

    private func isBlank(_ index: Int) -> Bool { line[index] == .space || line[index] == .tab }

    private func isBlankOrEnd(_ index: Int) -> Bool { index >= line.count || isBlank(index) }

    private func afterBlanks(_ index: Int) -> Int {
        var index = index
        while index < end, isBlank(index) { index += 1 }
        return index
    }

    private func byte(_ index: Int) -> UInt8 { index >= 0 && index < line.count ? line[index] : 0x20 }

    /// Where the word ends that begins at a place: at a blank, or at one of the characters.
    private func wordEnd(_ index: Int, _ stops: ByteSet = .blanks) -> Int {
        var last = index
        while last < end, !stops.has(line[last]) { last += 1 }
        return last
    }

    // MARK: Times

    private mutating func takeTime(_ part: HeaderTable.Part) -> Bool {
        let open = byte(found.index)
        let isBracket = open == UInt8(ascii: "[") && part != .bareTime
        let isEnclosed = isBracket || part == .time && open == .quote && found.index == 0
        let first = isEnclosed ? found.index + 1 : found.index
        guard var time = time(part, at: first) else { return false }
        // A day alone is the time only in front of all else, or in brackets.
        if time.isDay, first > 0, !isEnclosed { return false }
        if isEnclosed {
            let close = afterBlanks(time.end)
            guard byte(close) == (open == .quote ? 0x22 : UInt8(ascii: "]")) else { return false }
            time.end = close + 1
        }
        if found.isUnset { time.moment = nil }
        if found.time == nil { found.timeStart = first }
        if found.time?.moment == nil, found.time?.hasUnknownZone != true { found.time = time }
        found.index = time.end
        return true
    }

    private mutating func time(_ part: HeaderTable.Part, at index: Int) -> LineTime.Found? {
        switch part {
        case .epoch:
            // After a process, one with a fraction.
            let needed = found.parts.pid == nil ? 10 : 13
            let time = line.number(index, 10) != nil ? times.number(line, at: index) : nil
            return time.flatMap { $0.end - index >= needed ? $0 : nil }
        case .googleTime:
            let digits = line.number(index, 8) != nil ? 8 : 4
            guard line.number(index, digits) != nil, byte(index + digits) == .space else { return nil }
            return times.google(line, index, digits)
        default:
            if index == last.index { return last.time }
            last = (index, times.read(line, at: index) ?? (index == 0 ? epoch() : nil))
            return last.time
        }
    }

    /// A number of seconds since 1970 with which the line begins.
    ///
    /// It is no time where it begins a sentence, or something that is more surely one follows.
    private func epoch() -> LineTime.Found? {
        guard let found = times.number(line, at: 0), found.end >= 10 else { return nil }
        let next = byte(found.end)
        var word = found.end
        while word < end, line[word].isOne(of: " \t:,|;") { word += 1 }
        let isPrecise = found.end > 13
        guard isPrecise || next != .space || byte(word) &- 0x61 >= 26 || isLevelWord(word) else { return nil }
        guard isPrecise || next != .colon || isRecent(found),
            times.read(line, at: word).map({ $0.isDay }) ?? true
        else { return nil }
        return next.isOne(of: " \t:,|") || found.end >= line.count ? found : nil
    }

    /// Whether a number is of a time since 2015, as few others are.
    private func isRecent(_ found: LineTime.Found) -> Bool {
        guard let moment = found.moment else { return false }
        return moment <= times.latest && moment.nanoseconds >= 1_420_070_400_000_000_000
    }

    /// Takes `[1795170030]` in front of what Nagios, Unbound and NSD write; not the number of a thread.
    private mutating func takeEpoch() -> Bool {
        guard let time = times.number(line, at: found.index + 1), isRecent(time),
            byte(time.end) == UInt8(ascii: "]"), byte(time.end + 1) == .space
        else { return false }
        let word = time.end + 2
        let isPrecise = time.end - found.index > 14
        guard isPrecise || byte(word) &- 0x41 < 26 || byte(letters(word)) == UInt8(ascii: "[") else {
            return false
        }
        (found.time, found.timeStart, found.index) = (time, found.index + 1, time.end + 1)
        return true
    }

    private mutating func takeUptime() -> Bool {
        guard let dot = digits(found.index, .process), byte(dot) == .period,
            let end = digits(dot + 1, .process)
        else { return false }
        (found.time, found.timeStart) = (LineTime.Found(moment: nil, end: end), found.index)
        found.index = end
        return true
    }

    private func isLevelWord(_ start: Int) -> Bool {
        LevelWord.meaning(line, start..<letters(start)).map { !$0.isWeak } ?? false
    }

    // MARK: Levels

    private func letters(_ start: Int) -> Int {
        var last = start
        while last < end, line[last].isLetter { last += 1 }
        return last
    }

    private mutating func set(_ level: LogLevel?, _ index: Int, isMarked: Bool = true) -> Bool {
        guard let level, found.level == nil else { return false }
        (found.level, found.index, found.isMarked) = (level, index, isMarked)
        return true
    }

    private mutating func takeLevel(_ part: HeaderTable.Part) -> Bool {
        var last = letters(found.index)
        let word = found.index..<last
        guard let meaning = LevelWord.meaning(line, word) else { return false }
        let isCapitals = line.isCapitals(word)
        if part != .anyLevel {
            // Whether the line begins with a time of digits.
            let isNumeric = found.timeStart <= 1 && byte(found.timeStart).isDigit && part == .levelAfterTime
            let isClear = !meaning.isWeak || isNumeric || byte(last).isOne(of: ":]|")
            let hasZone = found.time?.hasZone == true
            guard
                isCapitals
                    ? isClear
                    : isNumeric && LevelWord.followsTime(line, word, meaning, hasZone: hasZone)
            else { return false }
        }
        // `DEBUG2:` of PostgreSQL.
        if meaning.level == .debug, isCapitals, byte(last).isDigit, byte(last + 1) == .colon, time != nil {
            last += 1
        }
        return set(meaning.level, last, isMarked: isCapitals)
    }

    /// Takes what may follow a level: a blank, colons, a comma, a bar, or the end.
    private mutating func takeEndOfLevel(_ part: HeaderTable.Part) -> Bool {
        var index = found.index
        guard isBlankOrEnd(index) || line[index].isOne(of: ":|]),!") else { return false }
        if part == .innerEndOfLevel, afterBlanks(index) >= line.count { return false }
        // `[shop] error: …`: nothing else is the name of who wrote it.
        if byte(index) == .colon, found.parts.category == nil, let thread = found.parts.thread,
            line.isName(thread)
        {
            found.parts.nameByThread()
        }
        while byte(index) == .colon || byte(index) == UInt8(ascii: "!")
            || byte(index) == .comma && isBlankOrEnd(index + 1)
        {
            index += 1
        }
        found.index = byte(index) == .bar ? index + 1 : index
        return true
    }

    /// Takes `error`, `core:error`, `Server thread/INFO`, `E` in brackets.
    private mutating func takeLevelInBrackets() -> Bool {
        guard let (inner, close) = brackets(), !found.isNamed || line.isCapitals(inner) else { return false }
        let isWhole = inner.count == close - found.index
        guard isWhole || line.isCapitals(inner) || LevelWord.meaning(line, inner) != nil else { return false }
        if let meaning = LevelWord.meaning(line, inner) { return set(meaning.level, close) }
        if inner.count == 1, byte(found.index - 1) == UInt8(ascii: "["), time != nil || found.index == 1,
            line[inner.lowerBound].isOne(of: "VDIWEF")
        {
            return set(LevelWord.letter(line[inner.lowerBound]), close)
        }
        guard let mark = line[inner].lastIndex(where: { $0 == .colon || $0 == .slash }),
            mark > inner.lowerBound,
            let meaning = LevelWord.meaning(line, mark + 1..<inner.upperBound)
        else { return false }
        if line[mark] == .slash {
            guard line.isCapitals(mark + 1..<inner.upperBound) else { return false }
            found.parts.thread = inner.lowerBound..<mark
        } else {
            found.parts.category = inner.lowerBound..<mark
        }
        return set(meaning.level, close)
    }

    private mutating func takeSign(_ part: HeaderTable.Part) -> Bool {
        let (index, byte) = (found.index, byte(found.index))
        switch part {
        case .levelLetter: return byte & 0x20 == 0 && set(LevelWord.letter(byte), index + 1)
        case .columnLetter:
            let isEnclosed = self.byte(index - 1).isOne(of: "(<")
            guard byte.isOne(of: "DIWE") || isEnclosed && byte.isOne(of: "NCF") else { return false }
            return set(LevelWord.letter(byte), index + 1)
        case .twoLetters:
            return byte.isOne(of: "EWI") && self.byte(index + 1) == byte
                && set(LevelWord.letter(byte), index + 2)
        case .levelOfPHP:
            let last = line[index..<max(index, end)].firstIndex(of: .colon) ?? index
            return set(LevelWord.ofPHP(line, index..<last), last)
        case .levelMark:
            // The time is `20 Nov`, or a role follows the process.
            let pid = found.parts.pid?.upperBound ?? 0
            guard self.byte(pid) == .colon || self.byte(found.timeStart + 3).isLetter else { return false }
            switch byte {
            case UInt8(ascii: ".") where found.parts.pid != nil: return set(.debug, index + 1)
            case UInt8(ascii: "-") where found.parts.pid != nil: return set(.info, index + 1)
            case UInt8(ascii: "*"): return set(.notice, index + 1)
            case UInt8(ascii: "#"): return set(.warning, index + 1)
            default: return false
            }
        default:
            let word = index..<letters(index)
            if line.isWord("Default", word) { return set(.notice, word.upperBound) }
            if line.isWord("System", word) { return set(.info, word.upperBound) }
            return set(LevelWord.meaning(line, word)?.level, word.upperBound)
        }
    }

    /// Takes `%NAME-3-MNEMONIC`.
    private mutating func takeCode() -> Bool {
        let first = found.index + 1
        var last = first
        while last < end, line[last].isOfCode || line[last] == .hyphen { last += 1 }
        guard byte(found.index) == UInt8(ascii: "%"), byte(first) &- 0x41 < 26,
            let place = (first..<last).first(where: {
                line[$0] == .hyphen && byte($0 + 2) == .hyphen && line.number($0 + 1, 1) != nil
            }), place > first + 1, place + 5 < last, let severity = line.number(place + 1, 1)
        else { return false }
        found.parts.rename(first..<place)
        found.parts.mnemonic = place + 3..<last
        return set(LevelWord.severity(severity), last)
    }

    // MARK: Names

    private mutating func takeName(_ part: HeaderTable.Part) -> Bool {
        let first = found.index
        let last = wordEnd(first, .endsOfNames)
        guard last > first, line[first].isLetter || line[first].isOne(of: "_/~") else { return false }
        if part == .nameAndSeparator { return takeNameAndSeparator(first, last) }
        var word = first..<last
        if part != .word {
            while word.count > 1, line[word.upperBound - 1].isOne(of: ":/") { word = word.dropLast() }
        }
        switch part {
        case .capitalName where word.count < 3 || !line.isCapitals(word): return false
        // What an exception says is no header: `PSQLException: ERROR: syntax error`.
        case .name where time == nil && line.isException(word): return false
        case .logger where !line.looksLikeLogger(word): return false
        case .module where !line.looksLikeLogger(word) && !(found.isMarked && line.looksLikeModule(word)):
            return false
        case .name where line.isPlainWord(word):
            let mayBe = time != nil || line[first] & 0x20 != 0
            guard mayBe, LineHeader.ofSentences.value(line, word) == nil else { return false }
        default: break
        }
        guard part == .word || line.isName(word) else { return false }
        if part != .word || line.looksLikeLogger(word) { found.parts.category = word }
        found.index = word.upperBound
        return true
    }

    private mutating func takeName(before byte: UInt8) -> Bool {
        let first = found.index
        let word = line[first..<wordEnd(first)]
        let mark = byte == .period ? word.dropLast().lastIndex(of: byte) : word.firstIndex(of: byte)
        guard let mark, mark > first, word[..<mark].allSatisfy({ $0.isOfName }), line.isName(first..<mark)
        else { return false }
        found.parts.category = first..<mark
        found.index = mark
        return true
    }

    private mutating func takeNameAndSeparator(_ first: Int, _ last: Int) -> Bool {
        if byte(last - 1) == .colon {
            let name = first..<last - 1
            guard isBlankOrEnd(last), !name.isEmpty,
                line.looksLikeLogger(name) || found.isMarked && line.looksLikeModule(name)
            else { return false }
            found.parts.category = name
            found.index = last
            return true
        }
        let next = afterBlanks(last)
        guard next > last, let separator = separatorEnd(next) else { return false }
        let word = first..<last
        guard
            line[next] == .colon || line.looksLikeLogger(word) || found.isMarked && line.looksLikeModule(word)
                || found.parts.thread != nil
        else { return false }
        found.parts.category = word
        found.index = separator
        return true
    }

    private mutating func skipSeparator() {
        let index = found.index
        let isJoined = byte(index).isOne(of: ":,|")
        found.index = separatorEnd(afterBlanks(index)) ?? (isJoined ? index + 1 : index)
    }

    /// Where a separator ends, such as `:`, `--` or `|`, that has a blank after it.
    private func separatorEnd(_ place: Int) -> Int? {
        guard place < end, line[place].isOne(of: ":-|") else { return nil }
        var last = place
        while last < end, line[last] == line[place] { last += 1 }
        return last - place <= 3 && isBlankOrEnd(last) ? last : nil
    }

    private static let ofSentences = WordTable<Bool>([
        "no not an a the any all some this that these with without of in on is was are were be been": true,
        "and or to for from by at as if when while got get see saw has had have its it there user": true,
    ])

    private mutating func takeTag(_ part: HeaderTable.Part) -> Bool {
        let first = found.index
        let last = wordEnd(first, part == .host ? .blanks : .endsOfTags)
        let word = first..<last
        guard !word.isEmpty else { return false }
        switch part {
        case .host:
            let ofHosts = ByteSet.ofHosts
            guard word.allSatisfy({ ofHosts.has(line[$0]) }),
                LevelWord.meaning(line, word) == nil
            else { return false }
            found.parts.host = word
        case .syslogTag:
            if line[first] == .hyphen || !line[word].contains(where: { $0.isLetter }) { return false }
            found.parts.category = word
        default:
            // Without a time or a slash in front, `I am: here` is a sentence.
            if time == nil, byte(first - 1) != .slash,
                word.count < 3 || line[first] &- 0x41 >= 26 || !line[word].allSatisfy({ $0.isOfName })
            {
                return false
            }
            found.parts.category = word
        }
        found.index = last
        return true
    }

    private mutating func takeWord(_ part: HeaderTable.Part, before byte: UInt8) -> Bool {
        let first = found.index
        var last = wordEnd(first, part == .anyWord || part == .stream ? .blanks : .endsOfValues)
        if part == .source {
            // The colon is a part of the place.
            last = wordEnd(first, .endsOfPlaces)
            while last > first, line[last - 1] == .colon { last -= 1 }
        }
        let word = first..<last
        guard !word.isEmpty else { return false }
        switch part {
        case .thread: found.parts.thread = word
        case .hexThread, .hexNumber:
            guard line.begins("0x", word) else { return false }
            if part == .hexThread { found.parts.thread = word }
        case .identifier where word.count != 36: return false
        case .stream:
            guard line.isWord("stdout", word) || line.isWord("stderr", word) else { return false }
            found.parts.stream = word
        case .source:
            guard line.isPlace(word) else { return false }
            found.parts.source = word
        default: break
        }
        found.index = last
        return true
    }

    private mutating func takeDigits(_ part: HeaderTable.Part) -> Bool {
        let index = found.index
        guard let end = digits(index, part), part != .fourDigits || end == index + 4 else { return false }
        if part == .process { found.parts.pid = index..<end }
        if part == .threadNumber {
            // Android's clock has a fraction; `20 30 C outside: cold` is no thread.
            guard let time, line[found.timeStart..<time.end].contains(.period) else { return false }
            found.parts.thread = index..<end
        }
        if part == .fileLine { found.parts.fileLine = index..<end }
        found.index = end
        return true
    }

    private func digits(_ index: Int, _ part: HeaderTable.Part) -> Int? {
        var last = index
        if part == .number, byte(last) == .hyphen { last += 1 }
        let first = last
        while last < end, line[last].isDigit { last += 1 }
        return last > first ? last : nil
    }

    // MARK: Headers of any form

    /// Takes something that headers have in front of a time or a level.
    private mutating func takeToken() -> Bool {
        let index = found.index
        guard index < end else { return false }
        let byte = line[index]
        found.isNamed = false
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "{"): return takeGroup()
        case _ where byte.isDigit:
            let last = wordEnd(index, .endsOfNumbers)
            let isNumber = line[index..<last].allSatisfy { $0.isDigit }
            let isThread = found.parts.pid != nil || self.byte(afterBlanks(last)) == UInt8(ascii: "[")
            if isNumber, isThread { found.parts.thread = index..<last }
            if isNumber, !isThread { found.parts.pid = index..<last }
            found.index = last
            return true
        case _ where byte.isLetter || byte.isOne(of: "_/~"):
            // Most words are those of sentences.
            if isBlankOrEnd(letters(index)) { return takeLeadingName() }
            return skipPairs() || takeWord(.source, before: 0) || takeLeadingName()
        // Cisco's clock is not set, or was not lately.
        case UInt8(ascii: "*") where beginsDate(index + 1), UInt8(ascii: ".") where beginsDate(index + 1):
            found.index = index + 1
            // What a clock shows that was never set.
            let isUnset =
                line.has("Mar  1 ", at: index + 1, before: end)
                || line.has("Jan  1 ", at: index + 1, before: end)
            found.isUnset = byte == UInt8(ascii: "*") && isUnset
            return true
        default:
            var last = index
            while last < end, line[last].isOne(of: "-|:,>*;") { last += 1 }
            let isAlone = isBlankOrEnd(last) && (index == 0 || isBlank(index - 1))
            guard 1...3 ~= last - index, isAlone || byte.isOne(of: ":,|") else { return false }
            found.index = last
            return true
        }
    }

    /// Takes a group in brackets; in others only a place, a number or an identifier.
    private mutating func takeGroup() -> Bool {
        let open = line[found.index]
        let close = LineHeader.closing(open)
        found.index += 1
        if open == UInt8(ascii: "[") {
            guard takeBrackets() else { return false }
        } else if !takeWord(.source, before: close) {
            // A process, or an identifier as ClickHouse has it.
            let isProcess = open == .openParenthesis
            let end = isProcess ? digits(found.index, .process) : wordEnd(found.index, .endsOfPlaces)
            guard let end else { return false }
            if isProcess { found.parts.pid = found.index..<end }
            found.index = end
        }
        guard byte(found.index) == close else { return false }
        found.index += 1
        return true
    }

    /// Takes a name in front of a level; a plain word is one only in front of a colon or a level in capitals.
    private mutating func takeLeadingName() -> Bool {
        let first = found.index
        let last = wordEnd(first, .endsOfNames)
        guard last > first, line[first..<last].contains(where: { $0.isLetter }) else { return false }
        var word = first..<last
        while word.count > 1, line[word.upperBound - 1] == .colon { word = word.dropLast() }
        let next = afterBlanks(last)
        let isColumn = byte(last) == .bar || byte(last) == .comma && !isBlankOrEnd(last + 1)
        let isSeparate = word.count < last - first || isColumn || separatorEnd(next) != nil
        if time == nil, isSeparate, line.isException(word) { return false }
        // `SERVICE ALERT: …`, `NO WARNING: …`
        if time == nil, !isSeparate, word.count > 1, line.isCapitals(word),
            LevelWord.meaning(line, next..<letters(next)) != nil
        {
            return false
        }
        let isPlain = !isSeparate && line.isPlainWord(word)
        if isPlain {
            let level = next..<letters(next)
            guard found.parts.category == nil, time != nil || line[first] & 0x20 != 0,
                LineHeader.ofSentences.value(line, word) == nil,
                line.isCapitals(level), LevelWord.meaning(line, level) != nil
            else { return false }
        }
        let isNamed = byte(last) != .comma && (isPlain || isSeparate)
        if isNamed || line.looksLikeLogger(word), line.isName(word) {
            found.parts.category = word
        }
        (found.index, found.isNamed) = (last, !isSeparate)
        return true
    }

    /// Takes what follows a level, up to the last of it that cannot be the message.
    private mutating func takeTail() {
        // PostgreSQL: the text follows.
        if byte(found.index - 1) == .colon, line.has("  ", at: found.index, before: end) { return }
        while byte(found.index).isOne(of: ":!") { found.index += 1 }
        var taken = found
        for _ in 0..<5 {
            found.index = afterBlanks(found.index)
            let index = found.index
            guard index < end else { break }
            if found.time == nil, takeTime(.time) {
                taken = found
            } else if let separator = separatorEnd(index) {
                found.index = separator
                taken = found
                if found.parts.category != nil { break }
            } else if line[index] == UInt8(ascii: "["), takeGroup() {
                let isColon = byte(found.index) == .colon
                if isColon { found.index += 1 }
                let isKnown = found.parts.source != nil || found.parts.category != taken.parts.category
                if isColon || isKnown { taken = found }
            } else if let last = digits(index, .process), isBlankOrEnd(last) {
                found.parts.pid = index..<last
                found.index = last
            } else if line[index] == UInt8(ascii: "("), takeGroup() {
                continue
            } else if found.parts.source == nil, takeWord(.source, before: 0) {
                taken = found
            } else if takeName(.nameAndSeparator) {
                taken = found
                break
            } else {
                let isNamed = found.parts.pid != nil || found.parts.thread != nil
                if found.isMarked, found.parts.category == nil, takeName(.logger),
                    let word = found.parts.category, isBlankOrEnd(word.upperBound),
                    isNamed || byte(index - 1) == .tab && byte(word.upperBound) == .tab
                        || line[word].count(where: { $0 == .period }) > 1
                {
                    taken = found
                }
                break
            }
        }
        found = taken
    }

    // MARK: What other tools put in front

    private mutating func takePrefix(_ part: HeaderTable.Part, before byte: UInt8) -> Bool {
        let first = found.index
        let ofFiles = ByteSet.ofFiles
        var last = first
        while last < end, ofFiles.has(line[last]) { last += 1 }
        // It may have a time in its name.
        if part == .fileAndBlank { last = wordEnd(last) }
        if byte == .slash { last = line[first..<max(first, end)].firstIndex(of: byte) ?? first }
        let word = first..<last
        let next = afterBlanks(last)
        guard !word.isEmpty, next + 2 < line.count, line.count > 8 else { return false }
        func has(_ characters: ByteSet) -> Bool {
            for index in word where characters.has(line[index]) { return true }
            return false
        }
        switch part {
        case .file, .fileAndBlank:
            // The next character is checked first, because most words are not the names of files.
            guard part == .file ? self.byte(last) == .colon : ByteSet.lettersAndDigits.has(line[next]),
                has(.dots), has(.letters), line[first].isLetter || ByteSet.dots.has(line[first])
            else { return false }
            found.parts.file = word
        case .pod:
            guard byte == .slash || line[word].contains(.hyphen) && has(.digits) else { return false }
            found.parts.pod = word
        default:
            // `key | value` is text, `web-1 | …` and `web | {…}` are not.
            let isNamed = part == .container && first > 0
            // Foreman writes the time of day.
            if part == .unit, time?.moment != nil { return false }
            guard
                isNamed
                    || line[next] == .bar && LevelWord.meaning(line, word) == nil
                        && (has(.digits) || has(.joints) || ByteSet.startsOfLines.has(line[next + 2])
                            || LogfmtPairs.isOfLog(line, from: next + 2))
            else { return false }
            if part == .unit { found.parts.unit = word } else { found.parts.container = word }
        }
        found.index = last
        return true
    }

    private mutating func beginsLine(_ index: Int) -> Bool {
        let first = byte(index)
        let isOfFile = found.parts.pod == nil
        if first == UInt8(ascii: "{") || isOfFile && first == UInt8(ascii: "<") {
            return !isBlankOrEnd(index + 1)
        }
        let start = first == UInt8(ascii: "[") ? index + 1 : index
        return beginsDate(start) || times.google(line, start + 1, 4) != nil
    }

    private mutating func beginsDate(_ index: Int) -> Bool {
        guard let found = time(.bareTime, at: index), !found.isDay else { return false }
        return found.moment != nil || found.hasUnknownZone
    }

    // MARK: Brackets, and what is skipped

    /// The bracket that closes one that opens.
    private static func closing(_ open: UInt8) -> UInt8 { open == UInt8(ascii: "(") ? open + 1 : open + 2 }

    /// What is in the brackets that open in front of the place, and where they close.
    private func brackets() -> (inner: Range<Int>, close: Int)? {
        let open = byte(found.index - 1)
        let close = LineHeader.closing(open)
        var depth = 0
        for place in found.index - 1..<max(found.index, min(end, found.index + 256)) {
            if line[place] == open { depth += 1 }
            if line[place] == close { depth -= 1 }
            guard depth == 0 else { continue }
            var inner = found.index..<place
            while let last = inner.last, isBlank(last) { inner = inner.dropLast() }
            while let first = inner.first, isBlank(first) { inner = inner.dropFirst() }
            return inner.isEmpty ? nil : (inner, place)
        }
        return nil
    }

    private mutating func takeBrackets() -> Bool {
        guard let (inner, close) = brackets() else { return false }
        let isMarked = found.level != nil && found.parts.category == nil
        if line[inner].allSatisfy({ $0.isDigit }), byte(found.index - 2) != UInt8(ascii: "]") {
            found.parts.pid = inner
        } else if line.isPlace(inner) {
            found.parts.source = inner
        } else if isMarked, line.looksLikeLogger(inner), line[inner].contains(.period) {
            found.parts.category = inner
        } else {
            found.parts.thread = line.begins("id=", inner) ? inner.dropFirst(3) : inner
        }
        found.index = close
        return true
    }

    private mutating func skip(_ part: HeaderTable.Part, to byte: UInt8) -> Bool {
        let isParenthesis = part == .parentheses
        if isParenthesis, self.byte(found.index) != UInt8(ascii: "(") { return true }
        let stop = isParenthesis ? UInt8(ascii: ")") : byte
        guard let place = line[found.index..<max(found.index, end)].firstIndex(of: stop) else { return false }
        if part == .client { found.parts.client = found.index..<place }
        found.index = isParenthesis ? place + 1 : place
        return true
    }

    /// Skips `request_id=F8aB user="ann b"`.
    private mutating func skipPairs() -> Bool {
        var index = found.index
        while true {
            var name = index
            while name < end, line[name].isOfName { name += 1 }
            guard name > index, byte(name) == UInt8(ascii: "=") else { return found.index < index }
            var last = wordEnd(name)
            if byte(name + 1) == .quote {
                guard let close = line[min(name + 2, end)..<end].firstIndex(of: .quote) else { return false }
                last = close + 1
            }
            found.index = last
            index = afterBlanks(last)
            if index == last { return true }
        }
    }

    /// `… [20/Nov/2026:10:20:30 +0100] …`: the time of a web server, near the beginning, or of a heading.
    private mutating func readTimeWithin() {
        guard line.count > 12, let base = line.baseAddress else { return }
        let isRequest = isRequest
        let isHeading = isHeading || isRequest
        let last = min(line.count - 12, 200)
        var place = 0
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
                !found.isOfSyslog || line[place + 1].isLetter || line[place + 3] == .slash
                    || line.number(place + 1, 4) != nil
            {
                self.found.time = found
                if level == nil { start = found.end + 1 }
                return
            }
            guard byte == .space || byte == .openParenthesis, isHeading,
                !isRequest || line.has(" at", at: place - 3, before: place)
            else { continue }
            if let found = times.read(line, at: place + 1)
                ?? (byte == .openParenthesis ? times.number(line, at: place + 1) : nil),
                !found.isDay, found.moment != nil
            {
                self.found.time = found
                return
            }
        }
    }

    /// `Started GET "/x" for 10.0.0.1 at …` of Rails, whose time is a part of the text.
    var isRequest: Bool {
        guard line.begins(with: "Started "), byte(8) &- 0x41 < 26 else { return false }
        let last = letters(8)
        return byte(last) == .space && byte(last + 1) == .quote
    }

    /// `# Time: …`, `==== … ====`.
    private var isHeading: Bool {
        let first = byte(0)
        return (first == UInt8(ascii: "#") || first == UInt8(ascii: "=")) && line.count < 400
    }
}

/// The shapes of words.
///
/// They are not asked of the header, which is large, and would be copied each time.
extension UnsafeRawBufferPointer {
    fileprivate func isCapitals(_ word: Range<Int>) -> Bool {
        for index in word where self[index] &- 0x41 >= 26 { return false }
        return true
    }

    /// Whether it may be a category: not a counter or an identifier, of which most are digits.
    fileprivate func isName(_ word: Range<Int>) -> Bool {
        var surplus = 0
        var hasLetter = false
        for byte in self[word] {
            if byte.isDigit { surplus -= 1 }
            if byte.isLetter || byte >= 0x80 { (surplus, hasLetter) = (surplus + 1, true) }
        }
        return hasLetter && surplus >= 0
    }

    /// `com.acme.Pay`, `shop::pay`, `plugin/errors`, `hudson.lifecycle.Lifecycle#onReady`.
    fileprivate func looksLikeLogger(_ word: Range<Int>) -> Bool {
        guard let first = self[word].first, first.isLetter || first == .underscore,
            let last = self[word].last,
            last.isLetter || last.isDigit || last == .closeParenthesis || last == .underscore
                || last == .slash
        else { return false }
        var isQualified = false
        for index in word {
            switch self[index] {
            case let byte where byte.isLetter || byte.isDigit: break
            case .colon where has("://", at: index, before: word.upperBound): return false
            case .period, .colon, .slash, .underscore, .dollar: isQualified = true
            case .hyphen, .numberSign, .at: break
            default: return false
            }
        }
        return isQualified
    }

    /// A word of letters, as sentences have it.
    fileprivate func isPlainWord(_ word: Range<Int>) -> Bool {
        self[word].allSatisfy({ $0.isLetter }) && !isCapitals(word)
            && self[word.dropFirst()].allSatisfy { $0 & 0x20 != 0 }
    }

    /// `java.io.IOException`, `RuntimeError`.
    fileprivate func isException(_ word: Range<Int>) -> Bool {
        ends("Error", word) || ends("Exception", word) || ends("Warning", word)
    }

    /// `shop`, `SecurityManager`, `raft-node`: one word that is hardly the first of a sentence.
    fileprivate func looksLikeModule(_ word: Range<Int>) -> Bool {
        let bytes = self[word]
        guard bytes.allSatisfy({ $0.isOfName }), let first = bytes.first, first.isLetter else { return false }
        if isException(word) { return false }
        let capitals = bytes.count { $0 &- 0x41 < 26 }
        guard bytes.contains(where: { $0 &- 0x61 < 26 }) else { return false }
        return first & 0x20 != 0 || capitals > 1 || bytes.contains { $0.isDigit || $0 == .hyphen }
    }

    /// `Shop.swift:42`.
    fileprivate func isPlace(_ word: Range<Int>) -> Bool {
        guard let colon = self[word].lastIndex(of: .colon), colon + 1 < word.upperBound else { return false }
        return self[colon + 1..<word.upperBound].allSatisfy({ $0.isDigit })
            && self[word.lowerBound..<colon].contains { $0.isLetter }
            && self[word.lowerBound..<colon].contains(.period)
            && self[word].allSatisfy {
                $0.isOfName || $0 == .colon || $0 == .slash || $0 == .plus || $0 == .at
            }
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
    /// Whether it may be in a part of a code of Cisco.
    @inline(__always)
    fileprivate var isOfCode: Bool { self &- 0x41 < 26 || isDigit || self == .underscore }

    /// Whether it may be in the name of a logger; a property, since a method of the header would copy that.
    @inline(__always)
    fileprivate var isOfName: Bool {
        isLetter || isDigit || self == .period || self == .underscore || self == .hyphen || self == .dollar
    }
}
