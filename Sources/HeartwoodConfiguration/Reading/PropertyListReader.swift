import Heartwood

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads property lists, XML and binary, as far as settings are: no dates, no data.
///
/// Lines are known of keys in XML; elsewhere an error names the path of keys alone.
struct PropertyListReader {
    /// Whether a file looks like a property list.
    static func recognizes(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: Array("bplist".utf8)) { return true }
        let start = bytes.starts(with: SettingText.byteOrderMark) ? 3 : 0
        return bytes[start...].first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    static func read(_ bytes: [UInt8], source: String) throws(LogConfigurationError) -> LogSetting {
        guard depth(of: bytes) <= deepest else {
            throw LogConfigurationError(LogSettingLocation(source), tooDeep)
        }
        guard BinaryPropertyList.size(of: bytes, limit: mostValues) <= mostValues else {
            throw LogConfigurationError(LogSettingLocation(source), tooLarge)
        }
        let node: Node
        do {
            node = try PropertyListDecoder().decode(Node.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw LogConfigurationError(
                LogSettingLocation(source), "cannot read the property list: \(reason(error))")
        } catch {
            throw LogConfigurationError(
                LogSettingLocation(source), "cannot read the property list: \(error)")
        }
        let places = PropertyListPlaces(SettingText(bytes, source: source))
        var path: [String] = []
        return setting(node, places, &path, LogSettingLocation(source))
    }

    /// How many tables and lists may be inside of each other, as in JSON.
    private static let deepest = 64
    /// How many values a binary list may stand for: its references may name one value many times.
    private static let mostValues = 100_000
    private static let tooLarge = "the property list has more than 100,000 values"
    private static let tooDeep = "the property list is nested more than 64 levels deep"

    /// How deep an XML list is nested, at most: the system's own parser has no limit but the stack.
    private static func depth(of bytes: [UInt8]) -> Int {
        var (depth, most) = (0, 0)
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
            let tag = rest[..<end]
            if tag.last == UInt8(ascii: "/") { continue }
            if tag.starts(with: "array".utf8) || tag.starts(with: "dict".utf8) {
                depth += 1
                most = max(most, depth)
            } else if tag.starts(with: "/array".utf8) || tag.starts(with: "/dict".utf8) {
                depth -= 1
            }
        }
        return most
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }

    private static func setting(
        _ node: Node, _ places: PropertyListPlaces, _ path: inout [String], _ place: LogSettingLocation
    ) -> LogSetting {
        switch node {
        case .value(let value): return LogSetting(value, at: place)
        case .list(let nodes):
            var elements: [LogSetting] = []
            for (index, node) in nodes.enumerated() {
                path.append("\(index)")
                elements.append(setting(node, places, &path, place))
                path.removeLast()
            }
            return LogSetting(.list(elements), at: place)
        case .object(let nodes):
            // The decoder keeps no order: sorted by line, or by name where lines are unknown.
            var members: [LogSetting.Member] = []
            for (key, node) in nodes {
                path.append(key)
                let keyPlace = places[path] ?? LogSettingLocation(place.source)
                members.append(LogSetting.Member(key, at: keyPlace, setting(node, places, &path, keyPlace)))
                path.removeLast()
            }
            members.sort {
                ($0.place.line ?? 0, $0.place.column ?? 0, $0.key) < (
                    $1.place.line ?? 0, $1.place.column ?? 0, $1.key
                )
            }
            return LogSetting(.object(members), at: place)
        }
    }

    /// What the decoder makes of a list.
    private enum Node: Decodable {
        case value(LogSetting.Content)
        case list([Node])
        case object([String: Node])

        init(from decoder: any Decoder) throws {
            guard decoder.codingPath.count <= deepest else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: [], debugDescription: tooDeep))
            }
            let container = try decoder.singleValueContainer()
            if let table = try? container.decode([String: Node].self) {
                self = .object(table)
            } else if let list = try? container.decode([Node].self) {
                self = .list(list)
            } else if let flag = try? container.decode(Bool.self) {
                self = .value(.bool(flag))
            } else if let number = try? container.decode(Int64.self) {
                self = .value(.integer(number))
            } else if let number = try? container.decode(Double.self) {
                self = .value(.number(number))
            } else if let text = try? container.decode(String.self) {
                self = .value(.string(text))
            } else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "date and data values are not supported; use a string"))
            }
        }
    }
}

/// The locations of the keys of an XML property list, as far as they are easy to find.
private struct PropertyListPlaces {
    private var places: [[String]: LogSettingLocation] = [:]

    subscript(path: [String]) -> LogSettingLocation? { places[path] }

    /// Looks for keys; what is no XML has none.
    init(_ text: SettingText) {
        guard PropertyListReader.recognizes(text.bytes), !text.bytes.starts(with: Array("bplist".utf8)) else {
            return
        }
        var scan = Scan(bytes: text.bytes)
        /// The tables and lists around the place: the key at hand, or how many elements a list has had.
        var around: [(isList: Bool, key: String)] = []
        while let tag = scan.nextTag() {
            switch tag.name {
            case "dict", "array":
                countElement(&around)
                around.append((tag.name == "array", tag.name == "array" ? "-1" : ""))
            case "/dict", "/array": _ = around.popLast()
            case "key":
                let offset = tag.start
                let key = scan.text()
                if !around.isEmpty { around[around.count - 1].key = key }
                places[around.map(\.key)] = text.place(of: offset)
            case let name where !name.hasPrefix("/") && !name.hasPrefix("plist"): countElement(&around)
            default: break
            }
        }
    }

    private func countElement(_ around: inout [(isList: Bool, key: String)]) {
        guard let last = around.last, last.isList, let number = Int(last.key) else { return }
        around[around.count - 1].key = "\(number + 1)"
    }

    private struct Scan {
        let bytes: [UInt8]
        var index = 0

        /// The next tag but comments and declarations.
        mutating func nextTag() -> (name: String, start: Int)? {
            while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
                if bytes[start...].starts(with: Array("<!--".utf8)) {
                    guard let end = bytes[start...].firstRange(of: Array("-->".utf8)) else { return nil }
                    index = end.upperBound
                    continue
                }
                guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
                index = end + 1
                let content = bytes[(start + 1)..<end]
                if content.first == UInt8(ascii: "!") || content.first == UInt8(ascii: "?") { continue }
                let isClosed = content.last == UInt8(ascii: "/")
                let name = content.prefix { $0 > 0x20 }
                var text = String(decoding: name, as: UTF8.self)
                if isClosed, text.hasSuffix("/") { text.removeLast() }
                // `<dict/>` begins nothing.
                if isClosed, text == "dict" || text == "array" { text = "empty" }
                return (text, start)
            }
            return nil
        }

        /// The text up to the next tag.
        mutating func text() -> String {
            let end = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            defer { index = end }
            var text = String(decoding: bytes[index..<end], as: UTF8.self)
            for (entity, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
            ] {
                text = text.replacing(entity, with: character)
            }
            return text
        }
    }
}
