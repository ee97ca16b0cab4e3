import Synchronization

/// A tag on its way beside the bytes.
final class TagBox: @unchecked Sendable {  // `onLeavingRing` is set before the box is shared, then only read
    let value: any Sendable
    /// The memory that it stands for, in bytes.
    let weight: Int
    /// Called once when the tag is no longer the ring's: from then on the loggers' backlogs count it.
    private var onLeavingRing: (@Sendable (Int) -> Void)?
    private let hasLeft = Atomic<Bool>(false)

    /// A tag of this weight or less is not counted while it is in the ring, whose records bound how many
    /// there are.
    static let lightWeight = 256

    /// Weighs a tag, on the caller's thread: a type of the user's says its size itself.
    ///
    /// - Parameters:
    ///   - value: The tag.
    ///   - unmeasured: What one weighs that may refer to memory and does not say to how much.
    init(_ value: any Sendable, unmeasured: Int) {
        self.value = value
        let size = TagBox.size(of: value) ?? max(unmeasured, TagBox.inlineSize(value))
        weight = TagBox.overhead + max(0, min(size, Int.max / 8))
    }

    deinit { leaveRing() }

    private static let overhead = 64

    /// The size of a tag that says it, or that refers to nothing; nil for any other.
    private static func size(of value: any Sendable) -> Int? {
        switch value {
        case let text as String: text.utf8.count
        default: measuredBytes(of: value) ?? (isPlain(value) ? inlineSize(value) : nil)
        }
    }

    private static func isPlain<Value>(_ value: Value) -> Bool { _isPOD(Value.self) }

    private static func inlineSize<Value>(_ value: Value) -> Int { MemoryLayout<Value>.size }

    /// Has `account` called with the weight when the ring is rid of the tag.
    func count(in account: @escaping @Sendable (Int) -> Void) { onLeavingRing = account }

    /// Whether the ring counts it, or has counted it.
    var isCounted: Bool { onLeavingRing != nil }

    func leaveRing() {
        guard let onLeavingRing else { return }
        if !hasLeft.exchange(true, ordering: .relaxed) { onLeavingRing(weight) }
    }
}
