import Heartwood

/// Where requests go: an `http` or `https` address, checked once and never changed by a server's answer.
///
/// Only plain addresses are taken: no user name in it, no fragment, no characters outside of ASCII, so that
/// no two readers of the address can understand it differently.
public struct HTTPEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted (`https`).
    public let isSecure: Bool
    /// The host's name or address, in lower case; an IPv6 address without its brackets.
    public let host: String
    /// The port, 80 or 443 where the address names none.
    public let port: Int
    /// The path and query, beginning with `/`.
    public let path: String

    /// Reads an address such as `https://logs.example.com/ingest`.
    ///
    /// - Throws: `LogError` of code `.setting` that says what is wrong with it.
    public init(_ address: String) throws {
        func refuse(_ reason: String) -> LogError {
            LogError(.setting, "the address \(reason)", place: Self.withoutCredentials(address))
        }
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw refuse("contains a character that must be percent-encoded")
        }
        guard let separator = address.firstRange(of: "://") else {
            throw refuse("must start with https:// or http://")
        }
        switch address[..<separator.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw refuse("must start with https:// or http://")
        }
        let rest = address[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw refuse("must not contain a user name or password; use RequestDecorator.basicAuth")
        }
        guard !rest.contains("#") else { throw refuse("must not contain a fragment (#)") }
        guard let (host, port) = Self.split(authority, secure: isSecure) else {
            throw refuse("has no valid host and port")
        }
        self.host = host
        self.port = port
        let path = rest[authority.endIndex...]
        self.path = path.isEmpty ? "/" : path.hasPrefix("?") ? "/" + path : String(path)
    }

    /// The same server with another path (which may have a query).
    ///
    /// - Precondition: the path begins with `/` and is printable ASCII.
    package func with(path: String) -> HTTPEndpoint {
        precondition(
            path.hasPrefix("/") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
            "a path must start with / and be percent-encoded")
        return HTTPEndpoint(isSecure: isSecure, host: host, port: port, path: path)
    }

    /// The address with its path, and its port where that is not the usual one.
    public var description: String {
        let shownHost = host.contains(":") ? "[\(host)]" : host
        let usual = isSecure ? 443 : 80
        return (isSecure ? "https://" : "http://") + shownHost + (port == usual ? "" : ":\(port)") + path
    }

    /// Whether requests stay on this machine: `localhost`, `127.0.0.0/8` or `::1`.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private init(isSecure: Bool, host: String, port: Int, path: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    private static func split(_ authority: Substring, secure: Bool) -> (String, Int)? {
        let host: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
            else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            guard !host.isEmpty, !host.hasPrefix("-"),
                host.utf8.allSatisfy({ isHostByte($0) })
            else { return nil }
        }
        guard !rest.isEmpty else { return (host.lowercased(), secure ? 443 : 80) }
        guard rest.removeFirst() == ":", rest.utf8.allSatisfy(\.isDigit),
            let port = Int(rest), (1...65_535).contains(port)
        else { return nil }
        return (host.lowercased(), port)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// An address that is refused may hold a password: it is not repeated in the error.
    private static func withoutCredentials(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        return "…" + address[at...]
    }
}

/// Where a logger's requests go, and whether they may go there in the open.
struct HTTPAddress: Sendable {
    let endpoint: HTTPEndpoint
    let allowsInsecureHTTP: Bool

    /// - Throws: `LogError` when the address is invalid.
    init(_ address: String, allowsInsecureHTTP: Bool) throws {
        endpoint = try HTTPEndpoint(address)
        self.allowsInsecureHTTP = allowsInsecureHTTP
        let request = HTTPRequest(endpoint: endpoint, allowsInsecureHTTP: allowsInsecureHTTP)
        if let refusal = request.refusal {
            throw LogError(.setting, refusal.message, place: endpoint.description)
        }
    }
}
