/// What happens to a lock around a fork.
enum ForkStep {
    case before, parent, child

    func apply<Value>(to lock: Locked<Value>) {
        switch self {
        case .before: lock.lockForFork()
        case .parent: lock.unlockInParent()
        case .child: lock.renewInChild()
        }
    }
}
