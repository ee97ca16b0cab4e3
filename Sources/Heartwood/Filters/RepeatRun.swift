/// The message that was written last, and how often it came again.
struct RepeatRun {
    /// What is to be done with a message.
    enum Step: Equatable {
        /// It is to be written; before it, how often the last one came again, unless that is 0.
        case write(repeatedBefore: Int)
        /// It is the same once more, and is counted; `report` of them are to be reported now, unless that is 0.
        case skip(report: Int)
    }

    /// What a report is about.
    struct Subject {
        var level = LogLevel.info
        var category = LogCategory.default
        var context = 0
        /// When it was logged last.
        var time = LogTimestamp(nanoseconds: 0)
    }

    private(set) var subject = Subject()
    private var text: [UInt8] = []
    private var isEmpty = true
    private(set) var repeated = 0
    /// When the last report was, or the message itself.
    private var startedAt = LogTimestamp(nanoseconds: 0)

    /// Takes the next message.
    mutating func take(_ message: LogMessage, interval: Duration) -> Step {
        if isSame(message) {
            repeated += 1
            subject.time = message.timestamp
            let isDue = message.timestamp - startedAt >= interval
            return .skip(report: isDue ? report() : 0)
        }
        let before = report()
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: message.storage.text)
        text.append(contentsOf: message.storage.fields)
        subject = Subject(
            level: message.level, category: message.category, context: message.context,
            time: message.timestamp)
        (isEmpty, startedAt) = (false, message.timestamp)
        return .write(repeatedBefore: before)
    }

    /// How often the message came again since the last report, which this is.
    mutating func report() -> Int {
        defer { repeated = 0 }
        if repeated > 0 { startedAt = subject.time }
        return repeated
    }

    private func isSame(_ message: LogMessage) -> Bool {
        let storage = message.storage
        // Text and fields are one after the other, in the message as here.
        return !isEmpty && storage.textSize + storage.fieldsSize == text.count
            && message.level == subject.level
            && message.category == subject.category && message.context == subject.context
            && UnsafeRawBufferPointer(start: storage.text.baseAddress, count: text.count).elementsEqual(text)
    }
}
