/// All observers of names, and what else must know of new levels.
final class NameObservers: Sendable {
    static let shared = NameObservers()

    // MARK: Guarded by themselves
    private let observers = Locked<[any NameObserver]>([])
    /// Has masks look again which custom levels a threshold contains.
    private let levelsChanged = Locked<(@Sendable () -> Void)?>(nil)

    /// Gives an observer all names there are, and from now on each new one.
    func begin(_ new: any NameObserver) {
        // With the names' own locks held: none can be made between the list and the registration.
        LogLevel.withDeclared { levels in
            CategoryRegistry.shared.withNames { names in
                CallSiteTable.shared.withSites { sites in
                    observers.withLock { observers in
                        for (bit, level) in levels { new.append(level: bit, level) }
                        for site in sites { new.append(site) }
                        for (number, name) in names.enumerated() {
                            new.append(category: UInt32(number), name)
                        }
                        observers.append(new)
                    }
                }
            }
        }
    }

    func end(_ old: any NameObserver) { observers.withLock { $0.removeAll { $0 === old } } }

    func append(_ site: CallSite) { observers.withLock { for observer in $0 { observer.append(site) } } }

    func append(category number: UInt32, _ name: String) {
        observers.withLock { for observer in $0 { observer.append(category: number, name) } }
    }

    func append(level bit: Int, _ level: LogLevel.Definition) {
        observers.withLock { for observer in $0 { observer.append(level: bit, level) } }
    }

    /// Has `body` called whenever custom levels were declared.
    func onLevelsChanged(_ body: @escaping @Sendable () -> Void) { levelsChanged.withLock { $0 = body } }

    func levelsDidChange() { levelsChanged.withLock { $0 }?() }

    func handleFork(_ fork: ForkStep) {
        fork.apply(to: observers)
        fork.apply(to: levelsChanged)
        if fork == .child { observers.withLock { $0 = [] } }
    }
}

/// What keeps the names that numbers in records stand for, as a journal does.
protocol NameObserver: AnyObject, Sendable {
    /// A new call site; called under a lock, before a record can contain its number.
    func append(_ site: CallSite)
    /// A new category; called under a lock, before a record can contain its number.
    func append(category number: UInt32, _ name: String)
    /// A new custom level; called under a lock, before a record can contain it.
    func append(level bit: Int, _ level: LogLevel.Definition)
}
