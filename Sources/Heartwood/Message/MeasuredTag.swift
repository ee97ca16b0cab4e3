#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A tag that reports how much memory it uses, so that the limits of queues include it.
///
/// The limits of queues include the tags of waiting messages. A tag of another type counts as
/// ``LogDispatcher/unmeasuredTagSize``, 4 KiB unless changed, if it may refer to memory, as a class instance
/// does; a plain value such as a number counts as its own size. Adopt the protocol for types that refer to
/// much memory:
///
/// ```swift
/// struct Snapshot: MeasuredTag {
///     let pixels: [UInt8]
///     var tagSize: ByteCount { .bytes(pixels.count) }
/// }
/// ```
///
/// Strings, `Data`, arrays, sets, dictionaries and optionals say theirs: an array of these is the sum of its
/// elements, another one counts the elements themselves.
public protocol MeasuredTag {
    /// The memory that the value holds; asked for once for each message, on the thread that logs.
    var tagSize: ByteCount { get }
}

/// What types of the standard library and of Foundation say of their memory.
private protocol StandardTag {
    var tagBytes: Int { get }
}

/// The memory of a value that says it; nil for another.
package func measuredBytes(of value: Any) -> Int? {
    switch value {
    case let measured as any MeasuredTag: measured.tagSize.bytes
    case let standard as any StandardTag: standard.tagBytes
    default: nil
    }
}

extension String: StandardTag {
    fileprivate var tagBytes: Int { utf8.count }
}

extension Substring: StandardTag {
    /// The whole string that the substring keeps in memory, as far as that is known.
    fileprivate var tagBytes: Int { Swift.max(utf8.count, base.utf8.count) }
}

extension Data: StandardTag {
    fileprivate var tagBytes: Int { count }
}

extension Array: StandardTag {
    fileprivate var tagBytes: Int { sizeOfElements(self, count) }
}

extension ArraySlice: StandardTag {
    fileprivate var tagBytes: Int { sizeOfElements(self, count) }
}

extension Set: StandardTag {
    fileprivate var tagBytes: Int { sizeOfElements(self, count) }
}

extension Dictionary: StandardTag {
    fileprivate var tagBytes: Int { sizeOfElements(keys, count) + sizeOfElements(values, count) }
}

extension Optional: StandardTag {
    fileprivate var tagBytes: Int { map { sizeOfElements(CollectionOfOne($0), 1) } ?? 0 }
}

/// The sum over elements that say their size; the size of the elements themselves where they do not.
private func sizeOfElements<Elements: Sequence>(_ elements: Elements, _ count: Int) -> Int {
    let inline = count.multipliedReportingOverflow(by: MemoryLayout<Elements.Element>.stride)
    let own = inline.overflow ? Int.max / 4 : inline.partialValue
    let type: Any.Type = Elements.Element.self
    guard type is any MeasuredTag.Type || type is any StandardTag.Type else { return own }
    return elements.reduce(own) { sum, element in
        let size = measuredBytes(of: element) ?? 0
        return sum.addingReportingOverflow(size).overflow ? .max / 4 : sum + size
    }
}
