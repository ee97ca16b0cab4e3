import CHeartwood
import Heartwood

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What differs between systems for the sockets of connections.
extension SystemCalls {
    /// Has an accepted TCP connection send at once what is written; on Apple's systems, it never raises
    /// `SIGPIPE` then.
    static func prepareConnection(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, 6 /* TCP */, TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Sends bytes without `SIGPIPE`; returns how many the system took, or -1 with the reason in `errno`.
    static func sendQuietly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        hw_write_quietly(descriptor, bytes.baseAddress, bytes.count)
        #else
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// The event of poll(2) for a client that has closed its side; it has no name in Swift, and none on
    /// Apple's systems.
    static var hangUp: Int16 {
        #if canImport(Darwin)
        0
        #else
        0x2000
        #endif
    }
}
