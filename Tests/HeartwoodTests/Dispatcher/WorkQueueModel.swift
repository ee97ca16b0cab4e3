/// When a work queue's thread comes and goes: all orders of the steps of its callers, its thread and the system.
///
/// A step is what is done under one lock, or one call of the system. Blocks have numbers, in the order in which they are appended.
enum WorkQueueModel {
    /// What a program with a mistake does.
    enum Fault: CaseIterable {
        case signalsBeforeItAppends, signalsAreNotCounted, callsBesideQueue
        case asksOutsideOfLock, staysThereAfterRefusal
        case refusalIsFinal, timerForEachRefusal, timerStaysSet, timerLooksOnlyAtBlocks, timerForgetsBlocks
        case leavesBlocks, leavesThoughItStays, looksBeforeItIsGone, isGoneBeforeItLooks
        case endDoesNotSignal
    }

    /// Who uses the queue.
    struct Scene {
        /// How many blocks each caller appends.
        var callers = [1, 1]
        /// How many of the first creations of a thread the system may refuse.
        var refusals = 2
        /// Whether a caller asks for a thread that stays, another one calls `sync`, and the owner is released.
        var keeps = true
        var helps = true
        var ends = true
    }

    struct World: Hashable {
        enum Served: Hashable { case none, there, wanted }
        enum Caller: Hashable {
            case idle(Int), signaled(Int), appended(Int, asks: Bool), making(Int), asking(Int)
        }
        enum Keeper: Hashable { case idle, asking, making, refused, kept }
        enum Helper: Hashable { case idle, inside, calling(Int), done }
        enum Owner: Hashable { case there, ending, gone }
        enum Thread: Hashable {
            case looking, waiting(stays: Bool), signaled, calling(Int), deciding(Bool), unsure(Bool), going
            case leaving
        }

        var callers: [Caller]
        var (keeper, helper, owner) = (Keeper.kept, Helper.done, Owner.there)
        var threads: [Thread] = []
        /// Whether a thread, or the helper, is in the queue.
        var isOccupied = false
        var (timers, creations, signals) = (0, 0, 0)
        // What the queue knows.
        var blocks: [Int] = []
        var served = Served.none
        var (stays, isEnding, hasTimer) = (false, false, false)
        // What must come out.
        var (appended, called, isWrong) = (0, 0, false)

        init(_ scene: Scene) {
            callers = scene.callers.map { .idle($0) }
            if scene.keeps { keeper = .idle }
            if scene.helps { helper = .idle }
            if !scene.ends { owner = .gone }
        }

        var areCallersDone: Bool {
            callers.allSatisfy { $0 == .idle(0) } && (keeper == .kept || keeper == .refused)
                && helper == .done
        }
        var hasThread: Bool { threads.contains { $0 != .leaving } }

        /// What must hold at any time.
        var isBroken: Bool {
            isWrong || timers > 1 || threads.count(where: { $0 != .leaving }) > 1
                || (keeper == .kept && stays && !isEnding && served != .there)
        }

        /// What must hold when no step is left except the timeout of a wait for the next block.
        var isStuck: Bool {
            !areCallersDone || called != appended || (stays && !isEnding && !hasThread)
        }

        mutating func call(_ block: Int) {
            isWrong = isWrong || block != called
            called += 1
        }

        /// The system gives a thread, or has none; returns whether a timer must be set.
        mutating func make(_ isRefused: Bool, _ fault: Fault?) -> Bool {
            creations = min(creations + 1, 3)
            if !isRefused { threads.append(.looking) }
            served = isRefused && fault != .staysThereAfterRefusal ? .wanted : .there
            if !isRefused || fault == .refusalIsFinal { return false }
            if hasTimer && fault != .timerForEachRefusal { return false }
            hasTimer = true
            return true
        }
    }

    /// Tries all orders of the steps; returns a state that must not be.
    static func explore(_ scene: Scene, _ fault: Fault? = nil) -> (failure: World?, count: Int) {
        let first = World(scene)
        var (seen, due): (Set<World>, [World]) = ([first], [first])
        while let world = due.popLast() {
            if world.isBroken { return (world, seen.count) }
            var steps = Steps(world: world, fault: fault, refusals: scene.refusals)
            steps.add()
            if steps.next.isEmpty {
                if world.isStuck { return (world, seen.count) }
                let isOver = steps.late.isEmpty && world.isEnding
                if isOver, !world.threads.isEmpty { return (world, seen.count) }
            }
            for next in steps.next + steps.late where seen.insert(next).inserted { due.append(next) }
        }
        return (nil, seen.count)
    }
}
