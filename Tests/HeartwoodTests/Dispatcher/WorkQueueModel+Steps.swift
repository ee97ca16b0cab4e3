extension WorkQueueModel {
    /// All that can come next; what only a wait that took too long does is in `late`.
    struct Steps {
        let world: World
        let fault: Fault?
        let refusals: Int
        var next: [World] = []
        var late: [World] = []

        mutating func step(_ change: (inout World) -> Void) {
            var world = world
            change(&world)
            next.append(world)
        }

        /// A step that makes a thread.
        mutating func make(_ change: (inout World, Bool) -> Void) {
            step { change(&$0, false) }
            if world.creations < refusals { step { change(&$0, true) } }
        }

        mutating func append(_ index: Int, _ left: Int) {
            let fault = fault
            func append(_ world: inout World, asks: Bool) {
                world.blocks.append(world.appended)
                world.appended += 1
                world.callers[index] =
                    fault == .signalsBeforeItAppends
                    ? (asks ? .asking(left) : .idle(left)) : .appended(left, asks: asks)
            }
            if world.served != .none { return step { append(&$0, asks: false) } }
            if fault == .asksOutsideOfLock {
                return step {
                    $0.served = .there
                    append(&$0, asks: true)
                }
            }
            make {
                let asks = $0.make($1, fault)
                append(&$0, asks: asks)
            }
        }

        mutating func signal(_ change: (inout World) -> Void) {
            step { [fault] in
                $0.signals = fault == .signalsAreNotCounted ? 1 : $0.signals + 1
                change(&$0)
            }
        }

        mutating func addCaller(_ index: Int) {
            switch world.callers[index] {
            case .idle(0): break
            case .idle(let left) where fault == .signalsBeforeItAppends:
                signal { $0.callers[index] = .signaled(left) }
            case .idle(let left), .signaled(let left): append(index, left - 1)
            case .appended(let left, let asks):
                let then = fault == .asksOutsideOfLock ? World.Caller.making(left) : .asking(left)
                signal { $0.callers[index] = asks ? then : .idle(left) }
            case .making(let left):
                make { $0.callers[index] = $0.make($1, nil) ? .asking(left) : .idle(left) }
            case .asking(let left):
                step {
                    $0.timers += 1
                    $0.callers[index] = .idle(left)
                }
            }
        }

        mutating func addKeeper() {
            switch world.keeper {
            case .idle where world.served == .there:
                step { ($0.stays, $0.keeper) = (true, .kept) }
            case .idle where fault == .asksOutsideOfLock:
                step { ($0.stays, $0.served, $0.keeper) = (true, .there, .making) }
            case .idle, .making:
                make { [fault] in
                    $0.stays = true
                    let asks = $0.make($1, fault)
                    let isThere = $0.served == .there
                    $0.keeper = isThere ? .kept : asks ? .asking : .refused
                }
            case .asking:
                step {
                    $0.timers += 1
                    $0.keeper = .refused
                }
            case .refused, .kept: break
            }
        }

        mutating func addHelper() {
            switch world.helper {
            case .idle where !world.isOccupied: step { ($0.isOccupied, $0.helper) = (true, .inside) }
            case .inside where world.blocks.isEmpty: step { ($0.isOccupied, $0.helper) = (false, .done) }
            case .inside: step { $0.helper = .calling($0.blocks.removeFirst()) }
            case .calling(let block):
                step {
                    $0.call(block)
                    $0.helper = .inside
                }
            case .idle, .done: break
            }
        }

        mutating func addOwner() {
            switch world.owner {
            case .there where world.areCallersDone:
                step { ($0.isEnding, $0.owner) = (true, .ending) }
            case .ending where fault == .endDoesNotSignal: step { $0.owner = .gone }
            case .ending: signal { $0.owner = .gone }
            case .there, .gone: break
            }
        }

        mutating func addTimer() {
            let fault = fault
            if world.timers == 0 { return }
            let isUseful =
                (!world.blocks.isEmpty && fault != .timerForgetsBlocks)
                || (world.stays && !world.isEnding && fault != .timerLooksOnlyAtBlocks)
            func fire(_ world: inout World) {
                world.timers -= 1
                if fault != .timerStaysSet { world.hasTimer = false }
            }
            if world.served != .wanted { return step { fire(&$0) } }
            if !isUseful {
                return step {
                    fire(&$0)
                    $0.served = .none
                }
            }
            make {
                fire(&$0)
                if $0.make($1, fault) { $0.timers += 1 }
            }
        }

        mutating func addThread(_ index: Int) {
            let isBeside = fault == .callsBesideQueue
            switch world.threads[index] {
            case .looking: step { $0.threads[index] = .waiting(stays: $0.stays && !$0.isEnding) }
            case .waiting where world.signals > 0:
                step {
                    $0.signals -= 1
                    $0.threads[index] = .signaled
                }
            case .waiting(let stays):
                if stays { return }
                var world = world
                world.threads[index] = .deciding(true)
                late.append(world)
            case .signaled where world.isOccupied && !isBeside: break
            case .signaled where world.blocks.isEmpty: step { $0.threads[index] = .deciding(false) }
            case .signaled:
                step {
                    $0.threads[index] = .calling($0.blocks.removeFirst())
                    if !isBeside { $0.isOccupied = true }
                }
            case .calling(let block):
                step {
                    $0.call(block)
                    $0.threads[index] = .looking
                    if !isBeside { $0.isOccupied = false }
                }
            case .deciding(let isLate) where fault == .isGoneBeforeItLooks:
                step { ($0.served, $0.threads[index]) = (.none, .unsure(isLate)) }
            case .deciding(let isLate), .unsure(let isLate):
                let isIdle =
                    (world.blocks.isEmpty || fault == .leavesBlocks)
                    && (world.isEnding || (isLate && (!world.stays || fault == .leavesThoughItStays)))
                if !isIdle { return step { ($0.served, $0.threads[index]) = (.there, .looking) } }
                if fault == .looksBeforeItIsGone { return step { $0.threads[index] = .going } }
                step { ($0.served, $0.threads[index]) = (.none, .leaving) }
            case .going: step { ($0.served, $0.threads[index]) = (.none, .leaving) }
            case .leaving:
                step { $0.threads.remove(at: index) }
            }
        }

        /// Adds the steps of all.
        mutating func add() {
            for index in world.callers.indices { addCaller(index) }
            for index in world.threads.indices { addThread(index) }
            addKeeper()
            addHelper()
            addOwner()
            addTimer()
        }
    }
}
