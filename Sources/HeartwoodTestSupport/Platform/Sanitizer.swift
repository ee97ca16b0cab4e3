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
    package static let isActive = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}
