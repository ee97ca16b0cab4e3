import CHeartwood

/// What a handler of fatal signals left in the journal.
struct JournalSignal: Equatable {
    let number: Int32
    let code: Int32
    let address: UInt64
    let thread: UInt64
    let time: LogTimestamp

    /// Reads the marks of a journal.
    init?(reading marks: UnsafeRawBufferPointer) {
        func load<T: BitwiseCopyable>(_ index: Int, _ type: T.Type) -> T {
            marks.loadUnaligned(fromByteOffset: JournalLayout.Marks.signal + 8 * index, as: type)
        }
        guard load(0, UInt64.self) == 1 else { return nil }
        number = Int32(truncatingIfNeeded: load(1, Int64.self))
        code = Int32(truncatingIfNeeded: load(2, Int64.self))
        address = load(3, UInt64.self)
        thread = load(4, UInt64.self)
        time = LogTimestamp(nanoseconds: load(5, Int64.self))
    }

    /// The signal's name, as in `kill -l`.
    var name: String {
        switch number {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGFPE: "SIGFPE"
        case SIGABRT: "SIGABRT"
        case SIGSYS: "SIGSYS"
        default: "signal \(number)"
        }
    }

    /// The message that it stands for.
    var message: MessageParts {
        var parts = MessageParts()
        parts.level = .fatal
        parts.category = .heartwood
        parts.timestamp = time
        parts.threadID = thread
        let place = "0x" + String(address, radix: 16)
        parts.text =
            LogText("the process was terminated by \(name, as: "signal") at address \(place, as: "address")")
            .bytes
        return parts
    }
}
