import Foundation

extension Duration {
    /// The timeout of what has to return in a test; ``Watchdog`` ends one that hangs before.
    package static let testLimit = Watchdog.limit * 4
}

/// Waits until `look` finds something that has no event to wait for: what another process or the system does.
///
/// Only this file polls; `Tests/check-tests` finds others. It has no deadline of its own: if what is waited for never comes, the
/// time limit of the test (``Watchdog``) prints `what`, the end of "waits until". Throws what `look` throws.
package func eventually<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
    let note = Watchdog.shared.beginWaiting(what)
    defer { Watchdog.shared.endWaiting(note) }
    var pause = Duration.microseconds(100)
    while true {
        if let value = try await look() { return value }
        pause = min(pause * 2, .milliseconds(20))
        try await Task.sleep(for: pause)
    }
}

/// Waits until a condition holds for which there is no event.
package func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    _ = try await eventually(what) { try await condition() ? true : nil }
}

/// The same on the calling thread, for the bodies of processes that tests start and for closures that cannot suspend.
package func waitUntil<Value>(_ what: String, _ look: () throws -> Value?) rethrows -> Value {
    let note = Watchdog.shared.beginWaiting(what)
    defer { Watchdog.shared.endWaiting(note) }
    var pause = Duration.microseconds(100)
    while true {
        if let value = try look() { return value }
        pause = min(pause * 2, .milliseconds(20))
        Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
}

/// Waits on the calling thread until a condition holds for which there is no event.
package func waitUntil(_ what: String, _ condition: () throws -> Bool) rethrows {
    _ = try waitUntil(what) { try condition() ? true : nil }
}

/// The same for a condition that says by itself what is waited for.
package func waitUntil(
    file: StaticString = #fileID, line: UInt = #line, _ condition: () throws -> Bool
) rethrows {
    try waitUntil("the condition in \(file), line \(line), holds", condition)
}
