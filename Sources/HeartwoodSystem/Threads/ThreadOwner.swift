#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread that owns something: the first one that enters.
///
/// Debug builds check it at each entrance; a release build knows nothing of it.
package struct ThreadOwner {
    #if DEBUG
    private let name: StaticString
    private var thread: pthread_t?
    #endif

    /// Makes an owner that is not known yet; `name` is what it owns, for the message.
    package init(_ name: StaticString) {
        #if DEBUG
        self.name = name
        #endif
    }

    /// Stops a debug build where another thread has entered before.
    package mutating func enter(_ entrance: StaticString = #function) {
        #if DEBUG
        let current = pthread_self()
        if let thread, pthread_equal(thread, current) == 0 {
            preconditionFailure("\(entrance): \(name) belongs to another thread; call it on that one")
        }
        thread = current
        #endif
    }
}
