#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood

/// A property's value in its stored form; what reading an ``EventRecord`` gives.
public struct StoredEventValue: EventValue, Hashable, CustomStringConvertible {
    /// How deep records, arrays and dictionaries may lie in each other.
    static let maximumDepth = 32

    let value: LogValue
    let depth: Int

    init(_ value: LogValue, depth: Int = 0) {
        self.value = depth > Self.maximumDepth ? .tooDeep : value
        self.depth = depth > Self.maximumDepth ? 0 : depth
    }

    /// Itself.
    public var eventValue: StoredEventValue { self }
    /// The value as JSON.
    public var description: String { value.eventJSON }
}
