#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The locations of the keys of an XML property list, as far as they are easy to find.
struct PropertyListPlaces {
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
