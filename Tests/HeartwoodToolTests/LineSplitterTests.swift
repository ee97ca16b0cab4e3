import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("Cutting bytes into lines", .inTurn)
struct LineSplitterTests {
    private struct Line: Equatable {
        let bytes: [UInt8]
        let part: LineSplitter.Part
    }

    private func split(_ input: [UInt8], limit: Int = 1000, keepsReturn: Bool = false, chunk: () -> Int)
        -> [Line]
    {
        var splitter = LineSplitter(limit: limit, keepsCarriageReturn: keepsReturn)
        var lines: [Line] = []
        var rest = input[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, chunk()))
            let count = splitter.fill { room in
                let taken = min(piece.count, room.count)
                room.copyBytes(from: piece.prefix(taken))
                return taken
            }
            rest = rest.dropFirst(count)
            splitter.forEachLine { line, part, _ in lines.append(Line(bytes: Array(line), part: part)) }
        }
        splitter.finish { line, part, _ in lines.append(Line(bytes: Array(line), part: part)) }
        return lines
    }

    private func texts(_ input: String) -> [String] {
        split(Array(input.utf8)) { 1 }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("Newlines, with or without a carriage return, and the end of the input end a line")
    func ends() {
        #expect(texts("") == [])
        #expect(texts("a") == ["a"])
        #expect(texts("a\n") == ["a"])
        #expect(texts("\n\na\r\n\r\nb\rc\r") == ["", "", "a", "", "b\rc\r"])
        let kept = split(Array("a\r\nb".utf8), keepsReturn: true) { 2 }
        #expect(kept.map(\.bytes) == [Array("a\r".utf8), Array("b".utf8)])
    }

    @Test("Where a line is cut depends on the line alone, not on how the bytes come in")
    func chunking() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ab\n\r\n".utf8) + Array("ü😀".utf8)
        for _ in 0..<300 {
            var input: [UInt8] = []
            while input.count < 400 {
                let long = Int.random(in: 0...60, using: &random)
                input += (0..<long).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            }
            let whole = split(input, limit: 16) { input.count }
            #expect(split(input, limit: 16) { 1 } == whole)
            #expect(split(input, limit: 16) { Int.random(in: 1...40, using: &random) } == whole)
            #expect(whole.allSatisfy { $0.bytes.count <= 16 })
            var joined: [UInt8] = []
            for line in whole {
                joined += line.bytes
                if case .piece = line.part { continue }
                joined.append(0x0A)
            }
            let expected = String(decoding: input, as: UTF8.self) == "" ? [] : normalised(input)
            #expect(joined == expected)
        }
    }

    /// The input with `\n` for every end of a line, and one at its end.
    private func normalised(_ input: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in input {
            if byte == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
            bytes.append(byte)
        }
        if bytes.last != 0x0A { bytes.append(0x0A) }
        return bytes
    }

    @Test("A line of exactly the limit is whole, and one byte more makes two pieces")
    func limit() {
        let exact = [UInt8](repeating: 0x61, count: 16)
        #expect(split(exact + [0x0D, 0x0A], limit: 16) { 5 } == [Line(bytes: exact, part: .whole)])
        let pieces = split(exact + [0x62, 0x0A], limit: 16) { 5 }
        #expect(pieces == [Line(bytes: exact, part: .piece(1)), Line(bytes: [0x62], part: .last(2))])
    }

    @Test("A line far larger than memory for it goes through in pieces")
    func endless() {
        var count = 0
        var splitter = LineSplitter(limit: 64 * 1024)
        var bytes = 0
        for _ in 0..<200 {
            bytes += splitter.fill { room in
                room.initializeMemory(as: UInt8.self, repeating: 0x61)
                return room.count
            }
            splitter.forEachLine { line, part, _ in
                if case .piece = part { count += line.count }
            }
        }
        splitter.finish { line, _, _ in count += line.count }
        #expect(bytes > 50 * 1024 * 1024)
        #expect(count == bytes)
    }
}
