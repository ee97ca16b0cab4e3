import Heartwood

#if os(Linux)
import CCrypto
#endif

/// The life of the system's library for encryption.
package enum SystemCrypto {
    /// Keeps libcrypto usable until all loggers have been flushed for the last time.
    package static func keepUntilExit() { _ = kept }

    private static let kept: Void = {
        #if os(Linux)
        // By itself it takes itself apart when the process ends, and would do so before the loggers that
        // still need it are flushed. Where the program has initialized it already, its end was registered
        // before our flush.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        ProcessExit.flushBeforeOthers()
        #endif
    }()
}
