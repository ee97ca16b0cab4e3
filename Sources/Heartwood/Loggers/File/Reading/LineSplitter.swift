/// Cuts pieces of text into lines.
package struct LineSplitter {
    /// A line that is longer is handed out in parts.
    package static let limit = 1 << 22

    private var pending: [UInt8] = []

    package init() {}

    /// Takes a piece, and hands out the lines that are complete, without their newlines.
    mutating func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var start = 0
        while let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if pending.isEmpty {
                try body(bytes[start..<newline])
            } else {
                pending += bytes[start..<newline]
                try body(pending[...])
                pending.removeAll(keepingCapacity: true)
            }
            start = newline + 1
        }
        pending += bytes[start...]
        if pending.count > LineSplitter.limit { try finish(body) }
    }

    /// Hands out what is left, where that is more than nothing.
    package mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        guard !pending.isEmpty else { return }
        try body(pending[...])
        pending.removeAll(keepingCapacity: true)
    }
}
