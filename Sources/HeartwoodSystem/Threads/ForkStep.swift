/// What happens to a lock around a fork.
package enum ForkStep {
    case before, parent, child

    @inlinable
    package func apply<Value>(to lock: Locked<Value>) {
        switch self {
        case .before: lock.lockForFork()
        case .parent: lock.unlockInParent()
        case .child: lock.renewInChild()
        }
    }
}
