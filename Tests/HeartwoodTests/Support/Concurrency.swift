import Dispatch
import Foundation
import HeartwoodTestSupport

@testable import Heartwood

/// Calls `body` on so many threads at the same time, each with its number, and returns when all have finished.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = Gate()
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            start.pass()
            body(index)
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    start.waitForArrival(of: count)
    start.open()
    group.wait()
}

/// Calls `body` on a thread of its own, whose stack is printed if it does not come back.
func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    done.wait()
}

/// A number that threads count up.
final class Counter: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    @discardableResult
    func increase() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

/// A value that a test hands to a closure of another thread.
final class Box<Value: Sendable>: Sendable {
    private let content: Locked<Value>
    init(_ value: Value) { content = Locked(value) }
    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
    func update(_ change: (inout Value) -> Void) { content.withLock { change(&$0) } }
}

/// Gives the calling thread a name, at once; Foundation's `Thread` may be late with it.
func nameThisThread(_ name: String) {
    #if os(Linux)
    try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
    #else
    pthread_setname_np(name)
    #endif
}
