import Synchronization

/// Which custom levels are declared, as bits by their severity, for readers that take no lock.
final class LevelDeclarations: Sendable {
    // MARK: Atomics (any thread)
    // Relaxed everywhere: a level is used only by code that has seen its declaration.
    private let fatal = Atomic<UInt32>(0)
    private let error = Atomic<UInt32>(0)
    private let warning = Atomic<UInt32>(0)
    private let notice = Atomic<UInt32>(0)
    private let info = Atomic<UInt32>(0)
    private let debug = Atomic<UInt32>(0)
    private let verbose = Atomic<UInt32>(0)

    /// The levels whose severity is the standard level of this index, or a more serious one.
    func levels(asSeriousAs index: Int) -> UInt32 {
        switch index {
        case ..<0: 0
        case 0: fatal.load(ordering: .relaxed)
        case 1: error.load(ordering: .relaxed)
        case 2: warning.load(ordering: .relaxed)
        case 3: notice.load(ordering: .relaxed)
        case 4: info.load(ordering: .relaxed)
        case 5: debug.load(ordering: .relaxed)
        default: verbose.load(ordering: .relaxed)
        }
    }

    /// Takes over what is declared; called by one thread at a time.
    func note(_ levels: [Int: LogLevel.Definition]) {
        func bits(_ index: Int) -> UInt32 {
            levels.reduce(0) { $0 | ($1.value.severity.index <= index ? 1 << UInt32($1.key) : 0) }
        }
        fatal.store(bits(0), ordering: .relaxed)
        error.store(bits(1), ordering: .relaxed)
        warning.store(bits(2), ordering: .relaxed)
        notice.store(bits(3), ordering: .relaxed)
        info.store(bits(4), ordering: .relaxed)
        debug.store(bits(5), ordering: .relaxed)
        verbose.store(bits(6), ordering: .relaxed)
    }
}
