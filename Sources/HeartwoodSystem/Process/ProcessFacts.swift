#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import CHeartwood

/// Names and numbers of the process and its host.
package enum ProcessFacts {
    /// The kernel's number of the process; kept, but asked for again in a forked child, which has another
    /// one.
    package static var identifier: Int { Int(hw_process()) }

    /// The last part of the program's path.
    package static var name: String {
        let path = CommandLine.arguments.first ?? ""
        return String(path.split(separator: "/").last ?? "")
    }

    /// The host's name; empty where the system does not say.
    package static var host: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The environment that the process was started with.
package enum ProcessEnvironment {
    /// All variables.
    package static var all: [String: String] { ProcessInfo.processInfo.environment }
}
