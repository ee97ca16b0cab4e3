#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a sanitizer watches this process, which makes it slow, keeps what is freed, and forbids some
/// system calls.
package enum Sanitizer {
    package static let isActive = has("__tsan_init") || has("__asan_init")

    private static func has(_ symbol: String) -> Bool {
        #if canImport(Darwin)
        dlsym(UnsafeMutableRawPointer(bitPattern: -2), symbol) != nil  // RTLD_DEFAULT
        #else
        dlsym(nil, symbol) != nil
        #endif
    }
}
