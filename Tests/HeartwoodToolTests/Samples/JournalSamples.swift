import Heartwood

// The code of Docs/CrashJournal.md, word for word; `SampleTests` compares them.

func journalUse() throws {
    // sample: Docs/CrashJournal.md
    LogDispatcher.shared.journal = .file("/var/lib/shop/journal")
    LogDispatcher.shared.recordsFatalSignals = true
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    logInfo("shop is open")
    // end
}

func endingSample() throws {
    // sample: Docs/CrashJournal.md
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    LogDispatcher.flushOnSignals([.term, .int], timeout: .seconds(5))
    // end
}

func journalStatus() {
    // sample: Docs/CrashJournal.md
    switch LogDispatcher.shared.journalStatus {
    case .active(let path): print("messages are safe in \(path)")
    case .unavailable(let reason): print("messages may be lost in a crash: \(reason)")
    case .off: print("no journal was set")
    }
    // end
}

func journalOfItsOwn() -> LogDispatcher {
    // sample: Docs/CrashJournal.md
    let dispatcher = LogDispatcher(ringCapacity: .mebibytes(16), journal: .file("/var/lib/shop/journal"))
    dispatcher.overflowPolicy = .block(upTo: .seconds(5))
    // end
    return dispatcher
}
