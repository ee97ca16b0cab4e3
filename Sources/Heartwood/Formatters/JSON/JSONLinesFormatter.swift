/// Writes each message as one line with a JSON object, in which named values and metadata are typed fields.
///
///     {"time":"2026-11-20T10:20:30.123456789Z","level":"info","message":"took 12.5 ms","ms":12.5,"seq":17}
///
/// ``Options/members`` defines the members of an object, their keys and their order. The default is `time`
/// (RFC 3339 in UTC, nanoseconds), `level`, `category` (unless it is the default one), `message`, the named
/// values, the fields, `context` (unless 0), `file`, `line`, `function`, `thread`, `thread_name`, `queue`,
/// `task` and `seq`. No key occurs twice: a named value or field whose name is already used gets an
/// underscore as its prefix, or several if needed.
///
/// ```swift
/// let elastic = JSONLinesFormatter(.ecs(service: "shop"))
/// let graylog = JSONLinesFormatter(.gelf())
/// ```
///
/// Several loggers can use one formatter at the same time. Its options are constant.
public final class JSONLinesFormatter: LogFormatter, @unchecked Sendable {  // constants only
    /// The content of an object.
    public struct Options: Sendable {
        /// The members of an object, in their order; a repeated key is left out.
        public var members = JSONMember.standard
        /// Where named values and fields of the program are written; among the other members unless changed.
        public var fields = JSONFieldPlacement.besideOthers
        /// Which types the values of fields can have; any unless changed.
        public var values = JSONFieldValues.any
        /// Whether an object contains `file`, `line` and `function`; true unless changed.
        public var includesSource = true
        /// Whether an object contains `thread`, `thread_name`, `queue` and `task`; true unless changed.
        public var includesThread = true
        /// How private values are written, in the text and in fields; ``LogPrivacyPolicy/redact`` unless
        /// changed.
        public var privacy = LogPrivacyPolicy.redact

        /// Makes the default options.
        public init() {}
    }

    /// The content of an object.
    package let options: Options
    private let members: [CompiledJSONMember]
    /// The keys of all members, as they are written: in memory of its own, which ends with the object.
    private let prefixes: UnsafeRawPointer
    private let ownKeys: NameList
    /// Whether the members are those that an object has unless the options say otherwise, as nearly always.
    private let isStandard: Bool
    /// Whether members of their own say the trace or the error.
    private let hasWellKnown: Bool
    /// Whether fields have an object of scalars, in whose names a point becomes `_`.
    ///
    /// Where it is indexed, `a.b` is a member of an object `a`, which cannot be beside a value `a`.
    private let isFlat: Bool
    /// The text in front of the fields' own object, if they have one.
    private let fieldsPrefix: [UInt8]

    /// Makes a formatter.
    public init(_ options: Options = Options()) {
        self.options = options
        var keys: Set<String> = []
        var members: [CompiledJSONMember] = []
        var prefixes = LogBuffer()
        if case .inObject(let key) = options.fields { keys.insert(key) }
        for member in options.members where member.isIncluded(in: options) {
            guard member.kind == .fields || keys.insert(member.key).inserted else { continue }
            if member.kind == .error { keys.formUnion(WellKnownFields.errorKeys(member.key)) }
            if member.kind != .reserved { members.append(CompiledJSONMember(member, to: &prefixes)) }
        }
        self.members = members
        isStandard =
            options.members == JSONMember.standard && options.fields == .besideOthers
            && options.includesSource && options.includesThread
        hasWellKnown = options.members.contains { $0.kind.isWellKnown }
        self.prefixes = prefixes.copyReadableBeyond()
        if case .inObject(let key) = options.fields {
            var prefix = LogBuffer()
            prefix.append(json: key)
            prefix.append(UInt8(ascii: ":"))
            fieldsPrefix = prefix.withUnsafeBytes { Array($0) }
            ownKeys = NameList()
            isFlat = options.values == .scalars
        } else {
            fieldsPrefix = []
            ownKeys = NameList(keys)
            isFlat = false
        }
    }

    deinit { prefixes.deallocate() }

    override var redactsByItself: Bool { true }

    /// Appends the object of a message.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        if isStandard {
            appendStandard(message, to: &output)
            return true
        }
        output.append(UInt8(ascii: "{"))
        let start = output.count
        // Writing the text tells whether there are fields or named values; without it, they are looked for.
        var hasFields: Bool?
        lazy var known = hasWellKnown ? WellKnownFields(message, members: options.members) : nil
        members.withUnsafeBufferPointer { members in
            for member in members {
                if member.kind.isOfFields {
                    if hasFields == nil { hasFields = message.hasFields }
                    if hasFields == false { continue }
                    if case .fields = member.kind {
                        appendFields(of: message, from: start, skipping: known?.taken ?? [], to: &output)
                    } else {
                        known?.append(member.kind, after: start, to: &output)
                    }
                    continue
                }
                var key = MemberKey(prefixes + Int(member.start), Int(member.size))
                // The first member has no comma in front of its key.
                if output.count == start { key = MemberKey(key.bytes + 1, key.size - 1) }
                if let hasNames = member.append(message, options.privacy, key: key, to: &output) {
                    hasFields = hasNames || message.storage.fieldsSize > 0
                }
            }
        }
        output.append(UInt8(ascii: "}"))
        return true
    }

    /// Writes a message with the standard members: what the general way decides member by member, in one
    /// straight line.
    ///
    /// Its twin is `CompiledJSONMember.append`; `PlainTextTests` holds the two equal.
    private func appendStandard(_ message: LogMessage, to output: inout LogBuffer) {
        let storage = message.storage
        output.append("{\"time\":\"" as StaticString)
        output.append(rfc3339: message.timestamp)
        output.append("\",\"level\":" as StaticString)
        output.append(jsonLevelOf: message)
        if !storage.hasDefaultCategory {
            output.append(",\"category\":" as StaticString)
            output.append(json: message.category.name)
        }
        output.append(",\"message\":\"" as StaticString)
        let hasNames = output.append(insideOfJSON: message, options.privacy)
        output.append(UInt8(ascii: "\""))
        if hasNames || storage.fieldsSize > 0 {
            appendFields(of: message, from: 0, skipping: [], to: &output)
        }
        if message.context != 0 {
            output.append(",\"context\":" as StaticString)
            output.append(message.context)
        }
        storage.withSite { output.append(membersOf: $0) }
        output.append(",\"thread\":" as StaticString)
        output.appendDecimal(message.threadID)
        if storage.record.namesSize > 0 { output.append(namesOf: message) }
        output.append(",\"seq\":" as StaticString)
        output.appendDecimal(message.sequence)
        output.append(UInt8(ascii: "}"))
    }

    /// Named pieces first, then the fields beside the text; each name once.
    private func appendFields(
        of message: LogMessage, from start: Int, skipping: Set<String>, to output: inout LogBuffer
    ) {
        let isNested = !fieldsPrefix.isEmpty
        var isFirst = true
        message.forEachField(
            options.privacy, reserved: ownKeys, naming: name(of:), skipping: skipping,
            flattensErrors: options.values == .stringsAndNumbers, to: &output
        ) { key, value, privacy, output in
            if isNested, isFirst {
                if output.count > start { output.append(UInt8(ascii: ",")) }
                output.append(fieldsPrefix)
                output.append(UInt8(ascii: "{"))
            } else if output.count > start {
                output.append(UInt8(ascii: ","))
            }
            isFirst = false
            output.append(json: key)
            output.append(UInt8(ascii: ":"))
            options.values.append(value, privacy, to: &output)
        }
        if isNested, !isFirst { output.append(UInt8(ascii: "}")) }
    }

    private func name(of key: String) -> String {
        guard case .prefixed(let prefix) = options.fields else {
            guard isFlat else { return key }
            return key.isEmpty ? "_" : key.contains(".") ? String(key.map { $0 == "." ? "_" : $0 }) : key
        }
        let isPlain = key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .underscore, .hyphen, .period: true
            default: false
            }
        }
        if isPlain { return prefix + key }
        return prefix
            + String(
                key.unicodeScalars.map { scalar in
                    let isWord = scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber)
                    return isWord || "_-.".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
                })
    }
}

extension LogMessage {
    /// Whether the message may have fields or named values; looked at without reading them.
    var hasFields: Bool {
        var text = PieceReader(storage.text)
        return !storage.fields.isEmpty || !text.skipPlain()
    }

    /// Calls `body` with each named piece of the text, then with each field beside it that is the first of
    /// its name, under keys that are all different and none of which is reserved.
    ///
    /// With `flattensErrors`, the field that says an error is several, under the names `error.type`,
    /// `error.message` and so on. Fields among `skipping` are left out.
    func forEachField(
        _ privacy: LogPrivacyPolicy, reserved: NameList, naming: (String) -> String = { $0 },
        skipping: Set<String> = [], flattensErrors: Bool = false, to output: inout LogBuffer,
        _ body: (String, EncodedValue, LogPrivacyPolicy, inout LogBuffer) -> Void
    ) {
        if !hasFields { return }
        forEachNamed(
            privacy, reserved: reserved, naming: naming, skipping: skipping, flattensErrors: flattensErrors,
            to: &output, body)
    }

    private func forEachNamed(
        _ privacy: LogPrivacyPolicy, reserved: NameList, naming: (String) -> String, skipping: Set<String>,
        flattensErrors: Bool, to output: inout LogBuffer,
        _ body: (String, EncodedValue, LogPrivacyPolicy, inout LogBuffer) -> Void
    ) {
        var used = NameList()
        func unused(_ name: String) -> String {
            var key = naming(name)
            while reserved.contains(key) || !used.insert(key) { key = "_" + key }
            return key
        }
        for isText in [true, false] {
            // Of fields beside the text, the first of a name is the one that holds.
            var names = NameList()
            var reader = PieceReader(isText ? storage.text : storage.fields)
            while let piece = reader.next() {
                guard case .value(let value) = piece, let name = value.name else { continue }
                let given = String(decoding: name, as: UTF8.self)
                if !isText, !names.insert(given) { continue }
                if !skipping.isEmpty, skipping.contains(given) { continue }
                if flattensErrors, given == ErrorFields.name, value.tag == .object,
                    value.isShown(by: isText ? privacy : .reveal),
                    let error = ErrorFields(value.decoded)
                {
                    EncodedMetadata(error.flattened()).forEach { name, value in
                        body(unused(name), value, privacy, &output)
                    }
                    continue
                }
                let shown = isText ? privacy : .reveal
                if value.isShown(by: shown), let hidden = output.hidden(value) {
                    EncodedMetadata([unused(given): .string(hidden)]).forEach { name, value in
                        body(name, value, shown, &output)
                    }
                    continue
                }
                body(unused(given), value, shown, &output)
            }
        }
    }
}

extension LogBuffer {
    /// Adds the text of a message as the inside of a JSON string.
    ///
    /// - Returns: whether values of the text may have names.
    @inline(__always)
    mutating func append(insideOfJSON message: LogMessage, _ privacy: LogPrivacyPolicy) -> Bool {
        if let hasNames = appendPlainText(of: message, escaping: UInt8(ascii: "\"")) { return hasNames }
        let start = count
        appendText(of: message, privacy: privacy)
        makeJSONSafe(from: start)
        return true
    }

    /// Adds `file`, `line` and `function`, if they are known.
    @inline(__always)
    fileprivate mutating func append(membersOf site: CallSite) {
        if redaction == nil || site.file.isEmpty { return append(site.membersInJSON) }
        append(",\"file\":" as StaticString)
        append(json: site.file)
        append(",\"line\":" as StaticString)
        append(site.line)
        append(",\"function\":" as StaticString)
        append(json: site.function)
    }

    /// Adds `thread_name`, `queue` and `task`, each if there is one.
    @inline(__always)
    fileprivate mutating func append(namesOf message: LogMessage) {
        append(",\"thread_name\":" as StaticString, name: message.threadNameBytes)
        append(",\"queue\":" as StaticString, name: message.queueLabelBytes)
        append(",\"task\":" as StaticString, name: message.taskNameBytes)
    }

    @inline(__always)
    private mutating func append(_ key: StaticString, name: UnsafeRawBufferPointer) {
        if name.isEmpty { return }
        append(key)
        append(json: name)
    }

    /// Appends a time stamp in UTC with nanoseconds: `2026-11-20T10:20:30.123456789Z`.
    public mutating func append(rfc3339 moment: LogTimestamp) {
        let nanosecond = append(secondsOf: moment)
        append(UInt8(ascii: "."))
        appendDecimal(nanosecond, width: 9)
        append(UInt8(ascii: "Z"))
    }
}

/// Where a JSON object contains the fields of the program.
public enum JSONFieldPlacement: Hashable, Sendable {
    /// Among the other members.
    case besideOthers
    /// In an object under this key; left out if it would be empty.
    case inObject(String)
    /// Among the other members, with this prefix.
    ///
    /// In the names, all characters except ASCII letters, digits, `_`, `-` and `.` become `_`.
    case prefixed(String)
}

/// The format of levels in JSON objects.
public enum JSONLevel: Hashable, Sendable {
    /// `"warning"`.
    case name
    /// `"WARNING"`.
    case upperName
    /// The severity of syslog: 2 for `fatal` to 7 for `debug` and `verbose`.
    case syslog
    /// The level of SwiftyBeaver: 0 for `verbose` to 5 for `fatal`.
    case swiftyBeaver
}

/// The format of times in JSON objects.
public enum JSONTime: Hashable, Sendable {
    /// `"2026-11-20T10:20:30.123456789Z"`.
    case rfc3339
    /// `"2026-11-20T10:20:30.123Z"`.
    case milliseconds
    /// A number of seconds since 1970 with nine digits after the decimal point.
    case unixSeconds
    /// An integer: milliseconds since 1970.
    case unixMilliseconds
}
