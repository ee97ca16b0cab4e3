#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The environment that the process was started with.
package enum ProcessEnvironment {
    /// All variables.
    package static var all: [String: String] { ProcessInfo.processInfo.environment }
}
