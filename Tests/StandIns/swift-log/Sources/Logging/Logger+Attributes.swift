// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
#if !WITHOUT_ATTRIBUTES
extension Logger {
    /// What else is said of a value.
    public struct MetadataValueAttributes: Equatable, Sendable, ExpressibleByArrayLiteral {
        public protocol Attribute: Sendable, RawRepresentable where RawValue == Int64 {}

        private var values: [ObjectIdentifier: Int64] = [:]

        public init() {}
        public init(arrayLiteral elements: any Attribute...) {
            for element in elements { values[ObjectIdentifier(type(of: element))] = element.rawValue }
        }

        public subscript<Kind: Attribute>(kind: Kind.Type) -> Kind? {
            get { values[ObjectIdentifier(kind)].flatMap { Kind(rawValue: $0) } }
            set { values[ObjectIdentifier(kind)] = newValue?.rawValue }
        }
    }

    struct Attributed: CustomStringConvertible, Sendable {
        let description: String
        let attributes: MetadataValueAttributes
    }
}

extension Logger.MetadataValue {
    public var attributes: Logger.MetadataValueAttributes {
        guard case .stringConvertible(let value) = self, let attributed = value as? Logger.Attributed else {
            return []
        }
        return attributed.attributes
    }

    public static func attributed(
        _ value: some CustomStringConvertible & Sendable, attributes: Logger.MetadataValueAttributes
    ) -> Self {
        .stringConvertible(Logger.Attributed(description: value.description, attributes: attributes))
    }
}
#endif
