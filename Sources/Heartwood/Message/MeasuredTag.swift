#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
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

extension String: MeasuredTag {
    /// The number of bytes of its text in UTF-8.
    public var tagSize: ByteCount { .bytes(utf8.count) }
}

extension Substring: MeasuredTag {
    /// The number of bytes of the whole string that the substring keeps in memory, as far as that is known.
    public var tagSize: ByteCount { .bytes(Swift.max(utf8.count, base.utf8.count)) }
}

extension Data: MeasuredTag {
    /// The number of bytes.
    public var tagSize: ByteCount { .bytes(count) }
}

extension Array: MeasuredTag {
    /// The size of its elements.
    public var tagSize: ByteCount { .bytes(sizeOfElements(self, count)) }
}

extension ArraySlice: MeasuredTag {
    /// The size of its elements.
    public var tagSize: ByteCount { .bytes(sizeOfElements(self, count)) }
}

extension Set: MeasuredTag {
    /// The size of its elements.
    public var tagSize: ByteCount { .bytes(sizeOfElements(self, count)) }
}

extension Dictionary: MeasuredTag {
    /// The size of its keys and values.
    public var tagSize: ByteCount { .bytes(sizeOfElements(keys, count) + sizeOfElements(values, count)) }
}

extension Optional: MeasuredTag {
    /// The size of its value, or zero.
    public var tagSize: ByteCount { map { .bytes(sizeOfElements(CollectionOfOne($0), 1)) } ?? .zero }
}

/// The sum over elements that say their size; the size of the elements themselves where they do not.
private func sizeOfElements<Elements: Sequence>(_ elements: Elements, _ count: Int) -> Int {
    let inline = count.multipliedReportingOverflow(by: MemoryLayout<Elements.Element>.stride)
    let own = inline.overflow ? Int.max / 4 : inline.partialValue
    guard Elements.Element.self is any MeasuredTag.Type else { return own }
    return elements.reduce(own) { sum, element in
        let size = (element as? any MeasuredTag)?.tagSize.bytes ?? 0
        return sum.addingReportingOverflow(size).overflow ? .max / 4 : sum + size
    }
}
