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
    /// `Linux` or the name of Apple's system.
    static var system: String { uname(\.sysname) }

    /// The kernel's version as `a.b.c`.
    static var version: String {
        let numbers = uname(\.release).split { !$0.isNumber && $0 != "." }.first ?? ""
        var parts = numbers.split(separator: ".").prefix(3).map(String.init)
        while parts.count < 3 { parts.append("0") }
        return parts.joined(separator: ".")
    }

    /// `x86_64`, for instance.
    static var model: String { uname(\.machine) }

    /// The host's name.
    static var host: String { uname(\.nodename) }

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
