import CHeartwood
import Heartwood

/// The request and the response of a line of a web server: `… "GET /x HTTP/1.1" 200 512 …`.
struct AccessRequest {
    typealias Bytes = UnsafeRawBufferPointer

    private var request: Range<Int>
    private var status: Range<Int>
    private var size: Range<Int>?
    private var client: Range<Int>?
    private var number: Int

    /// The level that the status means.
    var level: LogLevel? { LevelWord.status(number) }

    init?(_ line: Bytes, _ header: LineHeader) {
        if let squid = AccessRequest(squid: line, header) {
            self = squid
            return
        }
        guard line.count > 20, header.time != nil || header.level != nil, let base = line.baseAddress,
            let found = memchr(base, 0x22, min(line.count, 400))
        else { return nil }
        let quote = base.distance(to: UnsafeRawPointer(found))
        guard quote > 0, line[quote - 1] == 0x20
        else { return nil }
        var close = quote + 1
        while close < line.count, line[close] != 0x22 { close += line[close] == 0x5C ? 2 : 1 }
        guard close < line.count else { return nil }
        request = quote + 1..<close
        let isAfterBracket = quote > 1 && line[quote - 2] == UInt8(ascii: "]")
        let isHTTP =
            line[request].contains(0x2F)
            && (line[request].last?.isDigit == true || line[request].last == UInt8(ascii: "P"))
            && line.has(" HTTP/", in: request)
        guard isAfterBracket || isHTTP else { return nil }
        var index = close + 1
        let after = AccessRequest.word(line, &index)
        if after.count == 3, let number = line.number(after.lowerBound, 3), (100...599).contains(number) {
            status = after
            self.number = number
            let next = AccessRequest.word(line, &index)
            if !next.isEmpty, line[next].allSatisfy(\.isDigit) { size = next }
        } else if isHTTP, after.isEmpty || line[after].allSatisfy({ $0 == 0x7D }),
            let found = AccessRequest(haproxy: line, quote)
        {
            (status, size, number) = (found.status, found.size, found.number)
        } else {
            return nil
        }
        var place = 0
        var previous = AccessRequest.word(line, &place)
        while previous.upperBound < quote, !previous.isEmpty {
            let word = AccessRequest.word(line, &place)
            if word.count == 1, line[word.lowerBound] == 0x2D {
                client = previous
                break
            }
            previous = word
        }
    }

    /// `… shop/srv1 0/0/0/44/45 503 217 - - sH-- …` in front of the request.
    private init?(haproxy line: Bytes, _ quote: Int) {
        var index = 0
        while index < quote {
            let word = AccessRequest.word(line, &index)
            guard !word.isEmpty else { return nil }
            guard line[word].count(where: { $0 == 0x2F }) == 4,
                line[word].allSatisfy({ $0.isDigit || $0.isOne(of: "/+-") })
            else { continue }
            let status = AccessRequest.word(line, &index)
            guard status.count == 3, let number = line.number(status.lowerBound, 3) else { return nil }
            let size = AccessRequest.word(line, &index)
            self.init(request: 0..<0, status: status, size: size, client: nil, number: number)
            return
        }
        return nil
    }

    private init(request: Range<Int>, status: Range<Int>, size: Range<Int>?, client: Range<Int>?, number: Int)
    {
        (self.request, self.status, self.size, self.client, self.number) = (
            request, status, size, client, number
        )
    }

    /// `1763634030.123  45 10.0.0.1 TCP_MISS/200 512 GET http://shop.example/x …` of Squid.
    private init?(squid line: Bytes, _ header: LineHeader) {
        guard let time = header.time, line[0].isDigit, time.end > 10, time.end + 20 < line.count,
            line[10] == 0x2E
        else { return nil }
        var index = time.end
        _ = AccessRequest.word(line, &index)
        let client = AccessRequest.word(line, &index)
        let result = AccessRequest.word(line, &index)
        guard let slash = line[result].firstIndex(of: 0x2F),
            line[result].first.map({ $0 &- 0x41 < 26 }) == true,
            slash + 4 == result.upperBound, let number = line.number(slash + 1, 3)
        else { return nil }
        let size = AccessRequest.word(line, &index)
        let method = AccessRequest.word(line, &index)
        let address = AccessRequest.word(line, &index)
        self.init(
            request: method.lowerBound..<address.upperBound, status: slash + 1..<result.upperBound,
            size: size,
            client: client, number: number)
    }

    private static func word(_ line: Bytes, _ index: inout Int) -> Range<Int> {
        while index < line.count, line[index] == 0x20 { index += 1 }
        let start = index
        while index < line.count, line[index] != 0x20 { index += 1 }
        return start..<index
    }

    /// Puts the request into the record.
    func fill(_ line: Bytes, _ record: inout LineRecord) {
        record.message = line.text(request)
        if let client { record.add("client", line.text(client)) }
        var index = request.lowerBound
        let method = AccessRequest.word(line, &index)
        let path = AccessRequest.word(line, &index)
        if path.upperBound <= request.upperBound, !path.isEmpty, line[method].allSatisfy({ $0 &- 0x41 < 26 })
        {
            record.add("method", line.text(method))
            record.add("path", line.text(path))
        }
        record.add("status", line.text(status), isLiteral: true)
        if let size { record.add("bytes", line.text(size), isLiteral: line[size].allSatisfy(\.isDigit)) }
    }
}

/// What follows the time in a line of RFC 5424: `<134>1 TIME HOST PROGRAM PROCESS ID [DATA] TEXT`.
enum SyslogHeader {
    typealias Bytes = UnsafeRawBufferPointer

    static func isVersioned(_ line: Bytes, _ start: Int) -> Bool {
        start + 1 < line.count && line[start] == UInt8(ascii: "1") && line[start + 1] == 0x20
    }

    /// Where the time is, after the priority.
    static func time(_ line: Bytes, _ start: Int) -> Int { isVersioned(line, start) ? start + 2 : start }

    /// Whether a line without a priority has structured data after its time, as RFC 5424 says.
    static func hasData(_ line: Bytes, after end: Int) -> Bool {
        var index = end
        for word in 0..<4 {
            guard index < line.count, line[index] == 0x20 else { return false }
            index += 1
            if word == 0, line[min(index, line.count - 1)] == UInt8(ascii: "[") { return false }
            while index < line.count, line[index] != 0x20 { index += 1 }
        }
        guard index + 2 < line.count, line[index + 1] == UInt8(ascii: "[") else { return false }
        return line[(index + 2)...].prefix(60).contains(UInt8(ascii: "@"))
    }

    /// Reads what begins at the host.
    static func read(_ line: Bytes, from start: Int, _ record: inout LineRecord) {
        var index = start
        if index < line.count, line[index] == 0x20 { index += 1 }
        for name in ["host", "program", "pid", "category"] {
            let first = index
            while index < line.count, line[index] != 0x20 { index += 1 }
            let word = line.text(first..<index)
            index = min(index + 1, line.count)
            if word == "-" { continue }
            if name == "category" || name == "program" { record.category = word }
            if name != "category" {
                record.add(name, word, isLiteral: name == "pid" && Int(word) != nil)
            }
        }
        if index < line.count, line[index] == UInt8(ascii: "-") {
            index += 1
        } else {
            while index < line.count, line[index] == UInt8(ascii: "[") { readElement(line, &index, &record) }
        }
        if index < line.count, line[index] == 0x20 { index += 1 }
        if line[min(index, line.count)...].starts(with: [0xEF, 0xBB, 0xBF]) { index += 3 }
        record.message = line.text(min(index, line.count)..<line.count)
    }

    /// `[name@1 key="value" …]`; a backslash is in front of `"`, `\` and `]`.
    private static func readElement(_ line: Bytes, _ index: inout Int, _ record: inout LineRecord) {
        while index < line.count, line[index] != 0x20, line[index] != UInt8(ascii: "]") { index += 1 }
        while index < line.count, line[index] != UInt8(ascii: "]") {
            while index < line.count, line[index] == 0x20 { index += 1 }
            let start = index
            while index < line.count, line[index] != UInt8(ascii: "=") { index += 1 }
            let name = line.text(start..<index)
            index += 2
            var value: [UInt8] = []
            while index < line.count, line[index] != 0x22 {
                if line[index] == 0x5C, index + 1 < line.count, line[index + 1].isOne(of: "\"\\]") {
                    index += 1
                }
                value.append(line[index])
                index += 1
            }
            index += 1
            let text = String(decoding: value, as: UTF8.self)
            record.add(name, text, isLiteral: LineRecord.isNumber(text))
        }
        index += 1
    }
}
