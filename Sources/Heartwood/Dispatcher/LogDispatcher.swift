import CHeartwood
import Dispatch
import Synchronization

/// Delivers the messages of log calls to loggers, through one global queue and one queue per logger.
///
/// Programs use ``shared``. A library or a test can make its own dispatchers, which are independent. You can
/// use every member on any thread, also inside loggers and formatters. No member waits for a logger unless
/// its documentation says so.
///
/// `Docs/Invariants.md` lists the promises of a dispatcher, and the tests of each promise.
public final class LogDispatcher: Sendable {
    /// The shared dispatcher, which log calls use by default.
    ///
    /// If the environment variable `HEARTWOOD_JOURNAL` is set, the journal in that directory is used from the
    /// start.
    public static let shared = LogDispatcher(
        isShared: true, ringCapacity: .mebibytes(4), clock: SystemClock(), journal: .inEnvironment)

    /// What calls to the shared dispatcher go to: no reference to count, nothing to check but that it is
    /// there.
    @inline(__always)
    static var sharedIntake: UnsafePointer<Intake> {
        hw_shared_intake_load()?.assumingMemoryBound(to: Intake.self) ?? makeSharedIntake()
    }

    @inline(never)
    private static func makeSharedIntake() -> UnsafePointer<Intake> {
        hw_shared_intake_store(shared.intake)
        return shared.intake
    }

    // MARK: Constants (any thread)
    let ring: RecordRing
    package let clock: any LogClock
    let backpressure = Backpressure()
    // Constants and atomics through a pointer, freed with the dispatcher.
    nonisolated(unsafe) let intake: UnsafePointer<Intake>
    private let isShared: Bool
    let usesTicks: Bool
    /// What empties the ring.
    let consumer: RingConsumer
    /// Where the ring's memory is.
    let place: RingPlace
    /// The journal that was asked for.
    let journaling: DispatcherJournal
    /// What finds room for messages that do not simply fit in.
    let room: RingRoom

    /// Reports the problems of the dispatcher and its loggers.
    public let diagnostics: LogDiagnostics

    // MARK: Atomics (any thread)
    /// Which levels pass: the dispatcher's own, as far as any logger wants them.
    let gate = Atomic<UInt32>(0)
    /// Whether the system had no thread for the drain or for a logger: see `keepThreads`.
    let lacksThreads = Atomic<Bool>(false)
    /// See `unmeasuredTagSize`.
    private let unmeasuredTag = Atomic<Int>(ByteCount.kibibytes(4).bytes)

    // MARK: Guarded by themselves
    /// What configurations have set: the state of `LogConfiguration`, which belongs to a higher layer.
    package let configured = Locked<(any AnyObject & Sendable)?>(nil)

    // MARK: Guarded by 'settings'
    let settings = Locked(Settings())

    struct Settings {
        var levels = LogLevelMask.all
        /// In the order in which they were added.
        ///
        /// Kept as loggers, not nodes: a node does not keep its logger, and who takes a copy of the list may
        /// still use it when they have been removed.
        var loggers: [AbstractLogger] = []
        /// As bits in the intake, too.
        var synchronousLevels = LogLevelMask.error
        var synchronousTimeout = Duration.seconds(5)
        var metadata = EncodedMetadata([:])
        /// When threads are asked for again, in uptime, where they are lacking.
        var nextLook = Duration.zero
    }

    /// Makes a dispatcher that is independent of all others.
    ///
    /// - Parameters:
    ///   - ringCapacity: The size of the ring that holds messages on their way from callers to the global
    ///     queue; rounded up to a power of two between 64 KiB and 1 GiB. 4 MiB hold about 30,000
    ///     short messages. Where there is no memory for it, it is smaller, which is reported.
    ///   - clock: Where timestamps and timers come from; the system unless a test says otherwise.
    ///   - journal: Where the ring is kept so that it survives the process; nil, the default, in memory. See
    ///     ``journal``.
    public convenience init(
        ringCapacity: ByteCount = .mebibytes(4), clock: any LogClock = SystemClock(),
        journal: LogJournal? = nil
    ) {
        self.init(isShared: false, ringCapacity: ringCapacity, clock: clock, journal: journal)
    }

    private init(isShared: Bool, ringCapacity: ByteCount, clock: any LogClock, journal: LogJournal?) {
        self.isShared = isShared
        self.clock = clock
        usesTicks = clock is SystemClock && TickClock.isReliable
        diagnostics = isShared ? .shared : LogDiagnostics(clock: clock)
        let drain = DrainLock(Drain(usesTicks: usesTicks))
        ring = RecordRing(capacity: ringCapacity.bytes) { drain.isHeldHere }
        let queue = DispatchQueue.serial(isShared ? "heartwood" : "heartwood.dispatcher", qos: .utility)
        consumer = RingConsumer(ring, drain, queue)
        place = RingPlace(ring, consumer, diagnostics)
        journaling = DispatcherJournal(ring, place, consumer, clock, diagnostics)
        room = RingRoom(ring, place, consumer, journaling)
        let intake = UnsafeMutablePointer<Intake>.allocate(capacity: 1)
        self.intake = UnsafePointer(intake)
        intake.initialize(to: Intake(self, usesTicks: usesTicks))
        consumer.belong(to: self)
        ProcessExit.register(self)
        if ProcessExit.isFinal { applySynchronousLevels() }
        if ring.capacity < ring.wanted {
            diagnostics.report(
                .setting,
                "not enough memory for a record ring of \(ByteCount(ring.wanted)); using "
                    + "\(ByteCount(ring.capacity))"
            )
        }
        if journal != nil { self.journal = journal }
    }

    deinit {
        drainNow()
        journaling.close()
        ProcessExit.release(settings.withLock { $0.loggers })
        intake.pointee.deallocate()
        intake.deallocate()
    }

    // MARK: - Settings

    /// The levels that are logged at all; ``LogLevelMask/all`` unless changed.
    ///
    /// A change takes effect at once in all threads.
    public var levels: LogLevelMask {
        get { settings.withLock { $0.levels } }
        set {
            settings.withLock { settings in
                settings.levels = newValue
                updateGate(settings)
            }
        }
    }

    /// The levels that are logged synchronously unless the call says otherwise; `fatal` and `error` unless
    /// changed.
    ///
    /// A synchronous call returns when all loggers have handled its message, or after ``synchronousTimeout``.
    /// From the flush at `exit` on, all calls are synchronous.
    /// It does not wait for a logger for which an earlier call waited that long, until that logger has made
    /// progress.
    public var synchronousLevels: LogLevelMask {
        get { settings.withLock { $0.synchronousLevels } }
        set {
            settings.withLock { settings in
                settings.synchronousLevels = newValue
                applySynchronousLevels(settings)
            }
        }
    }

    /// Tells the intake which levels are synchronous: all of them at the end of the process, and where no
    /// other thread would handle a message.
    func applySynchronousLevels() { settings.withLock { applySynchronousLevels($0) } }

    private func applySynchronousLevels(_ settings: Settings) {
        let always = ProcessExit.isFinal || lacksThreads.load(ordering: .relaxed)
        intake.pointee.setSynchronous(settings.synchronousLevels, always: always)
    }

    /// How long a synchronous call waits for loggers; 5 s unless changed.
    ///
    /// After that, the call returns, and ``diagnostics`` reports it. Later calls do not wait for the same
    /// logger until it has made progress, so a stuck logger costs this time once.
    public var synchronousTimeout: Duration {
        get { settings.withLock { $0.synchronousTimeout } }
        set { settings.withLock { $0.synchronousTimeout = newValue } }
    }

    /// The policy of calls when the ring is full; ``OverflowPolicy/standard`` unless changed.
    ///
    /// The dispatcher moves messages from the ring to the queues of the loggers without waiting for any
    /// logger. The ring is full only while calls log faster than that.
    public var overflowPolicy: OverflowPolicy {
        get { room.policy }
        set { room.policy = newValue }
    }

    /// What a tag counts toward the memory limits if it may refer to memory and does not say to how much; 4
    /// KiB unless changed.
    ///
    /// This holds for class instances, and for values that contain references, unless their type is a
    /// ``MeasuredTag``. If your tags are larger, set their usual size, or let them measure themselves: the
    /// limits hold the sum of what tags count, not of what they use. A change applies to the next message.
    public var unmeasuredTagSize: ByteCount {
        get { .bytes(unmeasuredTag.load(ordering: .relaxed)) }
        set { unmeasuredTag.store(newValue.bytes, ordering: .relaxed) }
    }

    /// A tag on its way, weighed.
    func retainedBox(_ tag: any Sendable) -> Unmanaged<TagBox> {
        .passRetained(TagBox(tag, unmeasured: unmeasuredTag.load(ordering: .relaxed)))
    }

    /// Fields that are added to every message.
    ///
    /// Fields of the call, the task and the category with the same name take precedence.
    public var metadata: LogMetadata {
        get { settings.withLock { $0.metadata.value } }
        set {
            let encoded = EncodedMetadata(newValue)
            settings.withLock { $0.metadata = encoded }
            if !newValue.isEmpty { hw_outer_fields_set() }
        }
    }

    /// The number of messages so far, for the dispatcher and each logger.
    ///
    /// The figures are exact after a flush. Before it, messages that are on their way are not included.
    public var statistics: LogStatistics {
        var statistics = LogStatistics()
        let (accepted, vanished) = consumer.drain.withLock { ($0.accepted, $0.vanished) }
        statistics.accepted = accepted
        statistics.dropped = room.droppedCount + vanished
        for logger in members {
            var name = logger.name
            var number = 2
            while statistics.loggers[name] != nil {
                name = "\(logger.name) \(number)"
                number += 1
            }
            statistics.loggers[name] = logger.statistics
        }
        return statistics
    }

    func updateGate(_ settings: Settings) {
        let wanted = settings.loggers.reduce(0) { $0 | $1.levels.rawValue }
        openGate(wanted & settings.levels.rawValue)
    }

    /// Looks again which levels the masks let pass: a level was declared.
    func resolveLevels() {
        if hasLoggers {
            submit { $0.resolveLevels() }
            // The journal must know what the logger wants before it has such a message.
            if isJournaled { drainNow() }
        }
        settings.withLock { settings in
            applySynchronousLevels(settings)
            updateGate(settings)
        }
    }

    /// Lets these levels pass.
    func openGate(_ mask: UInt32) {
        gate.store(mask, ordering: .relaxed)
        if isShared { CategoryRegistry.shared.setSharedMask(mask) }
    }

    // MARK: - For calls

    /// Whether any logger accepts a message of this level and category.
    @usableFromInline
    func wants(_ level: LogLevel, _ category: LogCategory) -> Bool {
        gate.load(ordering: .relaxed) & category.state.openLevels.load(ordering: .relaxed) & level.rawValue
            != 0
    }

    // MARK: - The global queue's turn

    /// Hands everything that was logged so far to the loggers' queues, on the caller's thread.
    ///
    /// Waits for nothing but other callers of the same, and for records that other threads are writing right
    /// now.
    func drainNow(byCaller: Bool = false) { consumer.consumeAll(byCaller: byCaller) }
}
