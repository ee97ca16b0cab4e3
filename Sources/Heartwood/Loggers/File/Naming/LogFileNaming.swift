import CHeartwood

/// Gives log files their names, and recognizes them.
///
/// The default makes `<app> yyyy-MM-dd--HH-mm-ss-SSS.log` in UTC. A template has its own text and any of
///
/// - `{app}`: the application's name;
/// - `{date}` or `{date:yyyy-MM-dd}`: when the file was created, of the fields `yyyy MM dd HH mm ss SSS ZZZ`,
///   with a `T`, text between apostrophes, and what is no letter between them;
/// - `{number}` or `{number:6}`: a number that counts up, with at least that many digits;
/// - `{pid}`: the process;
/// - `{variant}`: a version, build or session (see ``variant``);
/// - `{{` and `}}`: a brace.
///
/// A template needs a date or a number. What it lacks is put before the extension where it is needed:
/// `@0002`, `@0003` … for files created at the same time, `@0001@pid77` when several processes log to the
/// directory. So the alphabetical order of names is the order of creation, up to 9,999 files of one moment.
///
/// **Only files that this naming made are ever touched.** A name counts as made by it only if writing what
/// was read from it gives the same name again. So an application "Foo" never takes files of "FooBar" or of
/// "Foo 2" for its own, and a subclass that reads too much does no harm.
///
/// For names that no template can write, give two closures, or override ``name(for:)`` and ``label(of:)``
/// together:
///
/// ```swift
/// let naming = LogFileNaming(
///     writing: { label in "trace-\(String(label.number, radix: 16)).log" },
///     reading: { name in
///         guard name.hasPrefix("trace-"), name.hasSuffix(".log") else { return nil }
///         return Int(name.dropFirst(6).dropLast(4), radix: 16)
///             .map { LogFileLabel(createdAt: nil, number: $0) }
///     })
/// ```
///
/// Both are called on several queues at once, and must always give the same answer to the same question.
open class LogFileNaming: @unchecked Sendable {  // open, so not checked; all that it has is constant
    // MARK: Constants (any thread)
    /// The application's name as it is in file names.
    public final let application: String
    /// The time zone of the dates in names.
    public final let zone: LogTimeZone
    /// A fixed name for the file that is being written, until it is rolled; nil for none.
    public final let activeName: String?
    /// What the template's `{variant}` means for new files, such as the version of the program; nil for none.
    ///
    /// Files of other variants are counted and removed like all others, but not continued.
    public final let variant: String?
    private let template: NameTemplate
    // Set by an initializer only.
    private final var custom:
        (write: @Sendable (LogFileLabel) -> String, read: @Sendable (String) -> LogFileLabel?)?

    /// Whether names are those of a template.
    final var isStandard: Bool { type(of: self) == LogFileNaming.self && custom == nil }

    /// The default names: `<app> yyyy-MM-dd--HH-mm-ss-SSS.log` in UTC.
    ///
    /// - Parameter application: by default the name of the program. What a file name cannot have becomes `_`.
    public init(application: String? = nil) {
        self.application = LogFileNaming.cleaned(application ?? ProcessFacts.name)
        (template, zone, activeName, variant) = (.standard, .utc, nil, nil)
    }

    /// Names that two closures write and read, of the dates and numbers in labels.
    ///
    /// - Parameters:
    ///   - application: by default the name of the program.
    ///   - writing: See ``name(for:)``.
    ///   - reading: See ``label(of:)``.
    public convenience init(
        application: String? = nil, writing: @escaping @Sendable (_ label: LogFileLabel) -> String,
        reading: @escaping @Sendable (_ name: String) -> LogFileLabel?
    ) {
        self.init(application: application)
        custom = (writing, reading)
    }

    /// Names of your own making.
    ///
    /// - Parameters:
    ///   - application: by default the name of the program. What a file name cannot have becomes `_`.
    ///   - template: see above; by default `{app} {date}.log`.
    ///   - zone: the zone of the dates. Outside of UTC `{date}` alone gets the distance from UTC
    ///     (`+0200`), as one hour a year comes twice.
    ///   - activeName: a fixed name, such as `app.log`, for the file that is being written.
    ///   - variant: up to 64 letters, digits, dots, underscores and plus signs. Others become `_`.
    /// - Throws: ``LogError`` of code `setting` for a template without date and number, with an unknown
    ///   field, or with a name that could leave the directory.
    public init(
        application: String? = nil, template: String = "{app} {date}.log", zone: LogTimeZone = .utc,
        activeName: String? = nil, variant: String? = nil
    ) throws {
        self.application = LogFileNaming.cleaned(application ?? ProcessFacts.name)
        self.template = try NameTemplate(template, defaultDate: zone.isUTC ? .standard : .standardWithOffset)
        self.zone = zone
        self.activeName = activeName
        self.variant = self.template.hasVariant ? NameTemplate.cleanedVariant(variant ?? "") : nil
        func require(_ isMet: Bool, _ rule: String, _ place: String) throws {
            if !isMet { throw LogError(.setting, rule, place: place) }
        }
        try require(
            self.template.hasVariant == (variant != nil),
            "The file name template must have the field {variant} if and only if `variant` is set", template)
        for name in [example, activeName].compactMap({ $0 }) {
            try require(
                LogFileNaming.isUsable(name),
                "A log file's name must not be empty or too long, start with a dot, or contain a slash", name)
        }
        guard let activeName else { return }
        let isOther = recognize(activeName) == nil
        try require(isOther, "The active name must differ from the names of rolled files", activeName)
    }

    /// The name of a file; different labels need different names.
    open func name(for label: LogFileLabel) -> String {
        custom?.write(label) ?? template.name(for: label, application, zone, variant: variant)
    }

    /// What a name says; nil where ``name(for:)`` cannot have made it.
    open func label(of name: String) -> LogFileLabel? {
        if let custom { return custom.read(name) }
        return template.label(of: name, application, zone)
    }

    /// The label of a name that this naming surely made.
    package final func recognize(_ name: String) -> LogFileLabel? {
        guard LogFileNaming.isUsable(name), let label = label(of: name) else { return nil }
        return self.name(for: label).utf8.elementsEqual(name.utf8) ? label : nil
    }

    /// What a name of the default form says, whatever the application; nil for other names.
    package static func recognizeDefault(_ name: String) -> LogFileLabel? {
        var index = name.startIndex
        while let blank = name[index...].firstIndex(of: " ") {
            let naming = LogFileNaming(application: String(name[..<blank]))
            if let label = naming.recognize(name) { return label }
            index = name.index(after: blank)
        }
        return nil
    }

    /// The label of a new file: never below `newest`, so that order survives a clock that was set back.
    package final func next(
        at now: LogTimestamp, after newest: LogFileLabel?, process: Int32?
    ) -> LogFileLabel {
        // Only as exact as the name can tell; a naming that cannot read its own names keeps the time itself.
        var label = LogFileLabel(createdAt: now, process: process)
        label = recognize(name(for: label)) ?? label
        guard let newest else { return label }
        let isUsedUp = newest.number >= LogFileLabel.greatestNumber
        if label.createdAt == nil {
            // After the greatest number comes the first that is free: better than none.
            label.number = isUsedUp ? 1 : max(label.number, newest.number + 1)
        } else if let latest = newest.createdAt, let createdAt = label.createdAt, createdAt <= latest {
            if isUsedUp { return later(than: latest, like: label) }
            label.createdAt = latest
            label.number = newest.number + 1
        }
        return label
    }

    /// A label of a later date, where the names of a date have used up their numbers.
    private func later(than latest: LogTimestamp, like usual: LogFileLabel) -> LogFileLabel {
        var label = usual
        label.number = 1
        for step in [Duration.milliseconds(1), .seconds(1), .seconds(60), .seconds(3600), .seconds(86_400)] {
            label.createdAt = latest + step
            if let read = recognize(name(for: label))?.createdAt, read > latest {
                label.createdAt = read
                return label
            }
        }
        // The calendar ends: after the greatest number comes the first that is free.
        label.createdAt = latest
        return label
    }

    /// What a name looks like.
    final var example: String { name(for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 0))) }

    /// Whether the naming reads the names that it writes, and gives different files different names.
    ///
    /// Without that its files would be outside of all limits.
    final var isReadable: Bool {
        let moment = LogTimestamp(nanoseconds: 1_767_225_600_000_000_000)
        let names = [1, 2].map { name(for: LogFileLabel(createdAt: moment, number: $0)) }
        return names[0] != names[1] && names.allSatisfy { recognize($0) != nil }
    }

    /// What is wrong with a naming that is not readable, for a person.
    package static let unreadable =
        "The naming cannot parse the names that it creates, so its limits would have no effect;"
        + " override label(of:) together with name(for:), so that different labels have different names"

    /// Whether a name stays in the directory and can be seen there, and leaves room for `.gz.part` after it.
    package static func isUsable(_ name: String) -> Bool {
        Directory.isSafe(name) && !name.hasPrefix(".") && name.utf8.count <= 230
    }

    /// The name without slashes, control characters, leading dots and blanks, and not longer than 100 bytes.
    package static func cleaned(_ name: String) -> String {
        var text = ""
        for character in name where text.utf8.count + character.utf8.count <= 100 {
            let isControl = character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
            text.append(isControl || character == "/" ? "_" : character)
        }
        while let first = text.first, first == "." || first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? "log" : text
    }
}
