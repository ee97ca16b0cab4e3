package import HeartwoodHTTP
import HeartwoodSystem

/// The start line and the fields of an HTTP/1.1 request, read strictly (RFC 9112).
///
/// What two programs could read differently is refused, not guessed: line folding, blanks before a colon, two
/// lengths.
package struct HTTPRequestHead: Sendable {
    /// Why a head is refused.
    package enum Refusal: Error, Equatable {
        /// It is not HTTP, or ambiguous.
        case malformed
        /// It is of a version other than 1.0 and 1.1.
        case version
        /// It announces a body in a way that is not known.
        case encoding

        /// The status of the answer.
        package var status: Int {
            switch self {
            case .malformed: 400
            case .version: 505
            case .encoding: 501
            }
        }
    }

    /// `GET`, for instance.
    package let method: String
    /// The path and the query, as they came.
    package let target: String
    /// The fields; each name once.
    package let headers: HTTPHeaders
    /// The length of the body, where the head gives one.
    package let length: Int
    /// Whether the body comes in chunks.
    package let isChunked: Bool
    /// Whether the client takes another answer on the same connection.
    package let isPersistent: Bool

    /// Reads the bytes in front of the empty line.
    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var lines = Self.lines(of: bytes)
        guard !lines.isEmpty else { throw .malformed }
        let words = lines.removeFirst().split(separator: 32, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(HTTPHeaders.isTokenByte),
            !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .malformed }
        let version = String(decoding: words[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw version.hasPrefix("HTTP/") ? .version : .malformed
        }
        method = String(decoding: words[0], as: UTF8.self)
        target = String(decoding: words[1], as: UTF8.self)

        var headers = HTTPHeaders()
        for line in lines {
            let (name, value) = try Self.field(line)
            if let other = headers[name] {
                // Fields that decide anything here must come once.
                guard !Self.isSingle(name) else { throw .malformed }
                headers[name] = other + ", " + value
            } else {
                headers[name] = value
            }
        }
        self.headers = headers
        guard version == "HTTP/1.0" || headers["Host"] != nil else { throw .malformed }
        let connection = headers["Connection"]?.lowercased() ?? ""
        isPersistent = version == "HTTP/1.1" && !connection.contains("close")
        (length, isChunked) = try Self.body(headers)
    }

    private static func body(_ headers: HTTPHeaders) throws(Refusal) -> (Int, Bool) {
        let announced = headers["Content-Length"]
        if let encoding = headers["Transfer-Encoding"] {
            guard announced == nil else { throw .malformed }
            guard encoding.lowercased() == "chunked" else { throw .encoding }
            return (0, true)
        }
        guard let announced else { return (0, false) }
        guard !announced.isEmpty, announced.utf8.allSatisfy(\.isDigit),
            let length = Int(announced)
        else { throw .malformed }
        return (length, false)
    }

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: [13, 10]) {
            lines.append(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        lines.append(rest)
        return lines
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(Refusal) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(HTTPHeaders.isTokenByte)
        else { throw .malformed }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
        while let last = value.last, last == 32 || last == 9 { value.removeLast() }
        guard value.allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) }) else { throw .malformed }
        return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private static func isSingle(_ name: String) -> Bool {
        ["host", "origin", "content-length", "transfer-encoding", "sec-fetch-site"].contains(
            name.lowercased())
    }
}
