import CHeartwood
public import Synchronization

/// The part of a program that a message is about, with levels of its own.
///
/// ```swift
/// extension LogCategory {
///     static let payments = LogCategory("payments")
/// }
/// logInfo("charged \(amount)", category: .payments)
/// LogCategory.payments.levels = .debug
/// ```
///
/// Two categories of the same name are the same one. Categories are never freed: make them once, as constants, and
/// not from data that comes from outside.
public struct LogCategory: Hashable, Sendable {
    @usableFromInline let state: State

    /// Finds the category of this name, or makes it.
    public init(_ name: String) {
        state = CategoryRegistry.shared.state(named: name)
    }

    init(state: State) {
        self.state = state
    }

    /// The category of calls that name none.
    public static let `default` = LogCategory("default")

    /// What the framework says of itself: "37 messages dropped here".
    public static let heartwood = LogCategory("heartwood")

    /// The name.
    public var name: String { state.name }

    /// Which levels of this category are logged, ``LogLevelMask/all`` by default.
    ///
    /// A message passes if its category, its dispatcher and at least one logger want it. A change takes effect at
    /// once, in all threads and dispatchers; reading and writing never wait for messages.
    public var levels: LogLevelMask {
        get { LogLevelMask(rawValue: state.levels.load(ordering: .relaxed)) }
        nonmutating set { CategoryRegistry.shared.setLevels(newValue, of: state) }
    }

    /// Fields added to every message of this category; those of the call and of the task come before them.
    public var metadata: LogMetadata {
        get { state.metadata.withLock { $0.value } }
        nonmutating set {
            let encoded = EncodedMetadata(newValue)
            state.metadata.withLock { $0 = encoded }
            if !newValue.isEmpty { hw_outer_fields_set() }
        }
    }

    /// Whether both are the same category.
    public static func == (left: LogCategory, right: LogCategory) -> Bool { left.state === right.state }

    /// Hashes the category's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }

    /// What a category knows; one object per name, for ever.
    @usableFromInline
    final class State: Sendable {
        // MARK: Constants (any thread)
        let name: String
        let id: UInt32

        // MARK: Atomics (any thread)
        let levels = Atomic<UInt32>(.max)
        /// `levels`, what the shared dispatcher lets pass and what its loggers want, in one word.
        @usableFromInline let sharedGate = Atomic<UInt32>(0)

        // MARK: Guarded by themselves
        let metadata = Locked(EncodedMetadata([:]))

        init(name: String, id: UInt32) {
            self.name = name
            self.id = id
        }
    }
}

/// All categories, by name and number, and the gates that combine them with the shared dispatcher's wishes.
final class CategoryRegistry: Sendable {
    static let shared = CategoryRegistry()

    private struct Content {
        var byName: [String: LogCategory.State] = [:]
        var all: [LogCategory.State] = []
        var sharedMask: UInt32 = 0
    }

    // MARK: Guarded by 'content'
    private let content = Locked(Content())

    /// The number of the default category, known without a look.
    static let defaultID: UInt32 = 0

    private init() {
        _ = state(named: "default")
    }

    func state(named name: String) -> LogCategory.State {
        content.withLock { content in
            if let known = content.byName[name] { return known }
            let state = LogCategory.State(name: name, id: UInt32(content.all.count))
            state.sharedGate.store(content.sharedMask, ordering: .relaxed)
            content.byName[name] = state
            content.all.append(state)
            return state
        }
    }

    func around(_ fork: ForkStep) { fork.apply(to: content) }

    /// The category of a number that a record carries.
    func category(_ id: UInt32) -> LogCategory {
        let state = content.withLock { $0.all.indices.contains(Int(id)) ? $0.all[Int(id)] : nil }
        return state.map(LogCategory.init(state:)) ?? .default
    }

    /// All categories there are, in the order of their making.
    var all: [LogCategory] { content.withLock { $0.all }.map(LogCategory.init(state:)) }

    func setLevels(_ levels: LogLevelMask, of state: LogCategory.State) {
        content.withLock { content in
            state.levels.store(levels.rawValue, ordering: .relaxed)
            CategoryRegistry.updateGate(of: state, mask: content.sharedMask)
        }
    }

    /// Takes what the shared dispatcher lets pass and what its loggers want.
    func setSharedMask(_ mask: UInt32) {
        content.withLock { content in
            content.sharedMask = mask
            for state in content.all {
                CategoryRegistry.updateGate(of: state, mask: mask)
            }
        }
    }

    private static func updateGate(of state: LogCategory.State, mask: UInt32) {
        let gate = mask & state.levels.load(ordering: .relaxed)
        state.sharedGate.store(gate, ordering: .relaxed)
        if state.id == defaultID { hw_shared_gate_store(gate) }
    }
}
