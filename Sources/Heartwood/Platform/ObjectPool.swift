#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// The objects that calls of Objective-C leave to be released later, on Apple's systems.
///
/// A dispatch queue releases them when a block has ended. Under a steady load a block of the dispatcher or of
/// a logger does not end, because it works as long as there are messages. So it empties a pool of its own
/// after each part of its work, for formatters and loggers that use Foundation.
///
/// Any thread may call it.
enum ObjectPool {
    /// Calls `body`, and then releases what it has left; elsewhere this is the call alone.
    @inline(__always)
    static func emptied<Value>(after body: () -> Value) -> Value {
        #if canImport(ObjectiveC)
        return autoreleasepool(invoking: body)
        #else
        return body()
        #endif
    }
}
