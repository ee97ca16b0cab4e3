/// The segments of a spool in the order of their ids, and what they take together.
struct SegmentList: RandomAccessCollection {
    private var segments: [SpoolSegment] = []
    /// The bytes of all files.
    private(set) var bytes = 0

    init() {}

    init(_ segments: [SpoolSegment]) {
        self.segments = segments
        bytes = segments.reduce(0) { $0 + $1.size }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { segments.count }

    subscript(position: Int) -> SpoolSegment {
        get { segments[position] }
        set {
            bytes += newValue.size - segments[position].size
            segments[position] = newValue
        }
    }

    /// The place of the segment with this first id.
    func index(of firstID: UInt64) -> Int? { segments.firstIndex { $0.firstID == firstID } }

    /// Adds a segment that is newer than all of them.
    mutating func append(_ segment: SpoolSegment) {
        bytes += segment.size
        segments.append(segment)
    }

    mutating func remove(at index: Int) {
        bytes -= segments[index].size
        segments.remove(at: index)
    }
}
