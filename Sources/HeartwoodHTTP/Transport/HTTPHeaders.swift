import HeartwoodSystem
/// The header fields of a request or an answer: names without regard to case, in the order they were set.
///
/// Printing them shows the values of harmless fields only, so that no credential gets into a report.
public struct HTTPHeaders: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral,
    CustomStringConvertible
{
    private var fields: [(name: String, value: String)] = []

    /// Makes an empty set of fields.
    package init() {}

    /// Takes fields; of two with the same name the last wins.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a field; setting replaces it in its place, setting nil removes it.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            let position = index(of: name)
            switch (position, newValue) {
            case (let position?, let value?): fields[position] = (name, value)
            case (let position?, nil): fields.remove(at: position)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// How many fields there are.
    package var count: Int { fields.count }

    /// Whether there are no fields.
    package var isEmpty: Bool { fields.isEmpty }

    /// The fields in their order.
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }

    /// Whether both have the same fields and values, in the same order, names compared without case.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.elementsEqual(right.fields) { Self.same($0.name, $1.name) && $0.value == $1.value }
    }

    /// The first field that cannot be sent: an empty or odd name, or a value with a control character.
    ///
    /// A line end in a value would begin a header of the writer's choice.
    package var firstUnusableName: String? {
        fields.first { field in
            field.name.isEmpty || !field.name.utf8.allSatisfy(Self.isTokenByte)
                || field.value.utf8.contains { ($0 < 0x20 && $0 != .tab) || $0 == 0x7F }
        }?.name
    }

    /// One field per line; values of fields that may hold a credential are replaced by `<hidden>`.
    public var description: String {
        fields.map { "\($0.name): \(Self.isHarmless($0.name) ? $0.value : "<hidden>")" }
            .joined(separator: "\n")
    }

    private func index(of name: String) -> Int? { fields.firstIndex { Self.same($0.name, name) } }

    private static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && (left == right || left.utf8.elementsEqual(right.utf8) { lowered($0) == lowered($1) })
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte + 32 : byte }

    /// Whether a byte may be in the name of a header field.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Shown values are those of fields known to be harmless; any other may be a key under a custom name.
    private static func isHarmless(_ name: String) -> Bool {
        let harmless = [
            "accept", "accept-encoding", "content-encoding", "content-length", "content-type", "date",
            "idempotency-key", "retry-after", "server", "user-agent", "location", "connection",
            "transfer-encoding", "x-request-id",
        ]
        return harmless.contains(name.lowercased())
    }
}
