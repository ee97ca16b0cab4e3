import Heartwood

/// Finds words without regard to case, in a table that is made once.
struct WordTable<Value: Sendable>: Sendable {
    fileprivate struct Slot: Sendable {
        let hash: UInt64
        let value: Value
    }

    /// A power of two of places, of which most are free.
    fileprivate var slots: [Slot?]

    init(_ words: KeyValuePairs<String, Value>) {
        slots = Array(repeating: nil, count: 512)
        for (names, value) in words {
            for name in names.split(separator: " ") {
                let bytes = Array(name.utf8)
                add(bytes.withUnsafeBytes { LineKey.Path().adding($0, 0..<$0.count).hash }, value)
            }
        }
    }

    private mutating func add(_ hash: UInt64, _ value: Value) {
        var place = Int(hash >> 55)
        while slots[place] != nil { place = (place + 1) & 511 }
        slots[place] = Slot(hash: hash, value: value)
    }

    /// Adds the words of another table, all with one value.
    mutating func add<Other>(table: WordTable<Other>, _ value: Value) {
        for slot in table.slots { if let slot { add(slot.hash, value) } }
    }

    /// The value of the word in a range of a line.
    func value(_ line: UnsafeRawBufferPointer, _ range: Range<Int>, in path: LineKey.Path = LineKey.Path())
        -> Value?
    {
        let hash = path.adding(line, range).hash
        var place = Int(hash >> 55)
        while let slot = slots[place] {
            if slot.hash == hash { return slot.value }
            place = (place + 1) & 511
        }
        return nil
    }
}

/// The words for levels.
enum LevelWord {
    struct Meaning: Sendable {
        let level: LogLevel
        /// Whether it means a level only where nothing else can be meant: before a colon or in brackets.
        var isWeak = false
        /// Whether it is a word that hardly begins a sentence.
        var isOrdinary = false
    }

    /// The longest word.
    static let longest = 13

    private static let table = WordTable<Meaning>([
        "fatal critical": Meaning(level: .fatal, isOrdinary: true),
        "ftl crit crt alert emerg emergency panic pnc dpanic fata pani": Meaning(level: .fatal),
        "fault": Meaning(level: .fatal, isWeak: true),
        "error err": Meaning(level: .error, isOrdinary: true),
        "erro eror severe": Meaning(level: .error),
        "fail": Meaning(level: .error, isWeak: true),
        "warn warning": Meaning(level: .warning, isOrdinary: true), "wrn": Meaning(level: .warning),
        "notice": Meaning(level: .notice, isOrdinary: true),
        "note ntc": Meaning(level: .notice, isWeak: true),
        "info": Meaning(level: .info, isOrdinary: true),
        "inf information informational": Meaning(level: .info),
        "log success": Meaning(level: .info, isWeak: true),
        "debug": Meaning(level: .debug, isOrdinary: true),
        "dbg dbug debu": Meaning(level: .debug), "fine config": Meaning(level: .debug, isWeak: true),
        "trace verbose": Meaning(level: .verbose, isOrdinary: true),
        "trc trce trac vrb finest": Meaning(level: .verbose),
        "finer": Meaning(level: .verbose, isWeak: true),
    ])

    /// What the letters of a range mean.
    static func meaning(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Meaning? {
        (3...longest).contains(range.count) ? table.value(line, range) : nil
    }

    /// What PHP writes in front of a message.
    static func ofPHP(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> LogLevel? {
        switch line.text(range) {
        case "Fatal error", "Parse error", "Core error", "Compile error": .fatal
        case "Recoverable fatal error", "Catchable fatal error": .error
        case "Warning", "Core warning", "Compile warning": .warning
        case "Notice", "Deprecated", "Strict Standards": .notice
        default: nil
        }
    }

    /// The words above, the keys of levels, and what the requests of web servers end with.
    private static let interest: WordTable<Bool> = {
        var table = WordTable<Bool>([
            "level severity lvl loglevel levelname severitytext http default deprecated standards": true
        ])
        table.add(table: LevelWord.table, true)
        return table
    }()

    /// Whether a word, wherever it is, may be a level or the key of one, or tell of a status.
    static func isOfInterest(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        interest.value(line, range) != nil
    }

    /// The level for a letter, as Android, glog and Rails write it.
    static func letter(_ byte: UInt8) -> LogLevel? {
        switch byte {
        case UInt8(ascii: "V"), UInt8(ascii: "T"): .verbose
        case UInt8(ascii: "D"): .debug
        case UInt8(ascii: "I"): .info
        case UInt8(ascii: "N"): .notice
        case UInt8(ascii: "W"): .warning
        case UInt8(ascii: "E"): .error
        case UInt8(ascii: "F"), UInt8(ascii: "A"), UInt8(ascii: "C"): .fatal
        default: nil
        }
    }

    /// Whether a word that follows the time directly is the level, rather than the first of a sentence.
    ///
    /// It is in capitals, in a column, or has a mark; or it is one of the frequent words after a time with a
    /// zone, as swift-log, syslog and Heartwood write it.
    static func followsTime(
        _ line: UnsafeRawBufferPointer, _ word: Range<Int>, _ meaning: Meaning, hasZone: Bool
    ) -> Bool {
        if word.allSatisfy({ line[$0] &- 0x41 < 26 }) { return true }
        guard !meaning.isWeak else { return false }
        let end = word.upperBound
        guard end + 1 < line.count, line[end] == .space else { return true }
        return line[end + 1] == .space || hasZone && meaning.isOrdinary
    }

    /// The level of a severity of syslog, 0 to 7.
    static func severity(_ number: Int) -> LogLevel? {
        switch number {
        case 0...2: .fatal
        case 3: .error
        case 4: .warning
        case 5: .notice
        case 6: .info
        case 7: .debug
        default: nil
        }
    }

    /// The level of the status of an HTTP response.
    static func status(_ number: Int) -> LogLevel? {
        switch number {
        case 500...599: .error
        case 400...499: .warning
        case 100...399: .info
        default: nil
        }
    }

    /// The level that a value is.
    ///
    /// `warn`, `ERROR`, `E`, `INFO+2`, and the numbers from 10 of bunyan, pino and Monolog. A single digit is
    /// no level here: its meaning depends on the program.
    static func level(of text: UnsafeRawBufferPointer) -> LogLevel? {
        guard let first = text.first, text.count <= 40 else { return nil }
        if first.isDigit {
            guard let number = text.number(0, text.count), text.count <= 3 else { return nil }
            switch number {
            case 10: return .verbose
            case 20, 100: return .debug
            case 30, 200: return .info
            case 250: return .notice
            case 40, 300: return .warning
            case 50, 400: return .error
            case 60, 500, 550, 600: return .fatal
            default: return nil
            }
        }
        var end = 0
        while end < text.count, text[end].isLetter { end += 1 }
        let isWhole = end == text.count || text[end] == .plus || text[end] == .hyphen || text[end].isDigit
        if isWhole, let meaning = meaning(text, 0..<end) { return meaning.level }
        if end == 1, text.count <= 2 { return letter(first & 0xDF) }
        guard end > 0 else { return nil }
        return LogLevel(named: String(decoding: text, as: UTF8.self))
    }
}

/// What the members of an object, or the pairs of logfmt, are by their names.
enum LineKey: Sendable {
    /// A name without regard to case, and the names of the objects that it is in.
    struct Path {
        /// 64 bits of FNV-1a; two of some hundred words never have the same.
        private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

        /// The path with a name at its end.
        @inline(__always)
        func adding(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Path {
            var path = self
            for index in range {
                let byte = line[index]
                path.hash = (path.hash ^ UInt64(byte &- 0x41 < 26 ? byte | 0x20 : byte)) &* 0x100_0000_01B3
            }
            return path
        }

        /// The path into an object.
        func inside(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Path {
            var path = adding(line, range)
            path.hash = (path.hash ^ 0x2E) &* 0x100_0000_01B3
            return path
        }
    }

    case time, level, category, message
    /// The zone of a time in other members, and the status of a response.
    case zone, status
    /// A category, or a message, where the line has no other.
    case otherCategory, otherMessage
    /// The level as a number of syslog, or of OpenTelemetry.
    case syslogLevel, severityNumber
    /// Python's number of the level, which tells whose scale another number is of.
    case pythonLevel
    /// The line of a program as Docker keeps it.
    case dockerLine
    /// What is to be added to the seconds of the time.
    case nanoseconds
    /// What tells which program wrote the line: Nextcloud, GELF, and bunyan.
    case requestID, gelfMessage, hostname, template

    /// Whether it is what the lines of logs have: a time, a level, a message.
    var isOfLog: Bool {
        switch self {
        case .time, .level, .message: true
        default: false
        }
    }

    private static let table = WordTable<LineKey>([
        "time timestamp @timestamp ts t @t datetime date asctime eventtime event_time": .time,
        "__realtime_timestamp timemillis start_time starttime timestamp_ms timegenerated": .time,
        "instant.epochsecond t.$date record.time.timestamp edgestarttimestamp": .time,
        "instant.nanoofsecond": .nanoseconds, "tz timezone zone": .zone, "status": .status,
        "level severity lvl loglevel log_level log.level levelname level_name @l @level": .level,
        "severitytext severity_text @fields.lvl @fields.level record.level.name levelstr": .level,
        "priority": .syslogLevel, "levelno": .pythonLevel,
        "severitynumber severity_number": .severityNumber,
        "category logger log.logger _category logger_name loggername syslog_identifier": .category,
        "channel @module sourcecontext source_context properties.sourcecontext @fields.logger": .category,
        "target name _comm": .otherCategory,
        "message msg @message @m @fields.msg @fields.message record.message renderedmessage": .message,
        "fields.message textpayload": .message,
        "short_message": .gelfMessage,
        "@mt": .template,
        "messagetemplate event body text": .otherMessage,
        "log": .dockerLine, "reqid": .requestID, "hostname": .hostname,
    ])
    /// What the name of a member says that may be a time, and is not in the table.
    struct TimeUse {
        /// Whether its value may also be a number.
        let mayBeNumber: Bool
        /// Whether it may be when a thing was made.
        let needsEvent: Bool
    }

    private static let ofEvents = WordTable<Bool>([
        "eventtype operation action activity activitydisplayname userdisplayname appdisplayname verb": true
    ])

    /// Whether the name of a member tells that the object is an event.
    static func isOfEvent(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        range.count <= 20 && ofEvents.value(line, range) == true
    }

    /// What the name of a member says that is not in the table.
    ///
    /// `eventTimestamp` says when it happened, `created_at` only in an event; `expirationTime`,
    /// `lastLoginTime` and `elapsedTime` do not.
    static func use(ofTime name: UnsafeRawBufferPointer) -> TimeUse? {
        guard name.count > 3, name.count < 40, name.endsAsTimesDo else { return nil }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        if beginsOfOthers.contains(where: text.hasPrefix) { return nil }
        let isCreation = text.contains("creat") || text.hasPrefix("publish")
        return TimeUse(
            mayBeNumber: isCreation
                || ["unix", "epoch", "event", "log", "stamp"].contains(where: text.contains),
            needsEvent: isCreation)
    }

    /// What names of other times begin with.
    private static let beginsOfOthers = [
        "expir", "end", "last", "next", "until", "valid", "due", "not", "birth", "modif", "updat", "delet",
    ]

    private static let containers = WordTable<Bool>([
        "log t instant @fields fields record record.level record.time properties": true
    ])

    /// What a name says, after the path of the object that it is in.
    static func key(
        _ line: UnsafeRawBufferPointer, _ range: Range<Int>, in path: Path = Path()
    ) -> LineKey? {
        range.count <= 24 ? table.value(line, range, in: path) : nil
    }

    /// Whether the names in an object count, with its own in front of them.
    static func isContainer(
        _ line: UnsafeRawBufferPointer, _ range: Range<Int>, in path: Path
    ) -> Bool {
        range.count <= 10 && containers.value(line, range, in: path) == true
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a name of four letters or more ends with `time`, `stamp`, `published`, `date`, `_at` or `At`.
    fileprivate var endsAsTimesDo: Bool {
        var last: UInt32 = 0
        for byte in suffix(4) { last = last << 8 | UInt32(byte | 0x20) }
        switch last {
        case 0x7469_6D65, 0x7461_6D70, 0x7368_6564, 0x6461_7465: return true
        default:
            guard self[count - 1] == UInt8(ascii: "t") else { return false }
            return self[count - 2] == UInt8(ascii: "A")
                || self[count - 2] == UInt8(ascii: "a") && self[count - 3] == .underscore
        }
    }
}
