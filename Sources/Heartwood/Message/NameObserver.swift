/// What keeps the names that numbers in records stand for, as a journal does.
protocol NameObserver: AnyObject, Sendable {
    /// A new call site; called under a lock, before a record can contain its number.
    func append(_ site: CallSite)
    /// A new category; called under a lock, before a record can contain its number.
    func append(category number: UInt32, _ name: String)
    /// A new custom level; called under a lock, before a record can contain it.
    func append(level bit: Int, _ level: LogLevel.Definition)
}
