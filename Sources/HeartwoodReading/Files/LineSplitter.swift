import Heartwood

/// Cuts pieces of text into lines; zero bytes in front of a line are not part of it.
package struct LineSplitter {
    /// A line that is longer is handed out in parts.
    package static let limit = 1 << 22

    private var pending: [UInt8] = []
    /// Whether a part of the line at hand was handed out already.
    private var isInLine = false

    package init() {}

    /// Takes a piece, and hands out the lines that are complete, without their newlines.
    mutating func feed(_ bytes: [UInt8], _ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var start = 0
        while true {
            if pending.isEmpty, !isInLine {
                while start < bytes.count, bytes[start] == 0 { start += 1 }
            }
            guard let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { break }
            isInLine = false
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
        if pending.count > LineSplitter.limit {
            try finish(body)
            isInLine = true
        }
    }

    /// Hands out what is left, where that is more than nothing.
    package mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        isInLine = false
        guard !pending.isEmpty else { return }
        try body(pending[...])
        pending.removeAll(keepingCapacity: true)
    }
}
