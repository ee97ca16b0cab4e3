import CHeartwood

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the system says of itself.
enum MachineFacts {
    /// `Linux`, or `macOS`, `iOS`, `tvOS`, `visionOS`.
    static var system: String {
        #if canImport(Darwin)
        AppleFacts.system
        #else
        uname(\.sysname)
        #endif
    }

    /// The system's version as `a.b.c`; on Linux the kernel's.
    static var version: String {
        #if canImport(Darwin)
        AppleFacts.version
        #else
        let numbers = uname(\.release).split { !$0.isNumber && $0 != "." }.first ?? ""
        var parts = numbers.split(separator: ".").prefix(3).map(String.init)
        while parts.count < 3 { parts.append("0") }
        return parts.joined(separator: ".")
        #endif
    }

    /// The program's version, where the system knows one.
    static var appVersion: String? {
        #if canImport(Darwin)
        AppleFacts.appVersion
        #else
        nil
        #endif
    }

    /// The program's build, where the system knows one.
    static var appBuild: Int? {
        #if canImport(Darwin)
        AppleFacts.appBuild
        #else
        nil
        #endif
    }

    /// `x86_64`, for instance.
    static var model: String { uname(\.machine) }

    private static func uname<Field>(_ field: KeyPath<utsname, Field>) -> String {
        var names = utsname()
        guard Self.fill(&names) == 0 else { return "" }
        return withUnsafeBytes(of: names[keyPath: field]) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func fill(_ names: inout utsname) -> Int32 { systemNames(&names) }
}

private func systemNames(_ names: inout utsname) -> Int32 { uname(&names) }
