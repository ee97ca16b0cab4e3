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
        guard quote > 0, line[quote - 1] == .space
        else { return nil }
        var close = quote + 1
        while close < line.count, line[close] != .quote { close += line[close] == .backslash ? 2 : 1 }
        guard close < line.count else { return nil }
        request = quote + 1..<close
        let isAfterBracket = quote > 1 && line[quote - 2] == UInt8(ascii: "]")
        let isHTTP =
            line[request].contains(.slash)
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
        } else if isHTTP, after.isEmpty || line[after].allSatisfy({ $0 == .closeBrace }),
            let found = AccessRequest(haproxy: line, quote)
        {
            (status, size, number) = (found.status, found.size, found.number)
        } else if isHTTP, let found = AccessRequest(balancer: line, quote) {
            (status, size, number) = (found.status, found.size, found.number)
        } else {
            return nil
        }
        var place = 0
        var previous = AccessRequest.word(line, &place)
        while previous.upperBound < quote, !previous.isEmpty {
            let word = AccessRequest.word(line, &place)
            if word.count == 1, line[word.lowerBound] == .hyphen {
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
            guard line[word].count(where: { $0 == .slash }) == 4,
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

    /// `… 0.000 502 - 34 366 "GET …"`: the two statuses and the two sizes of a load balancer of AWS.
    private init?(balancer line: Bytes, _ quote: Int) {
        var words: [4 of Range<Int>] = .init(repeating: 0..<0)
        var index = quote - 1
        for place in words.indices.reversed() {
            let end = index
            while index > 0, line[index - 1] != .space { index -= 1 }
            words[place] = index..<end
            index -= 1
            guard index > 0 else { return nil }
        }
        let areNumbers = (1..<4).allSatisfy {
            line.number(words[$0].lowerBound, words[$0].count) != nil
                || $0 == 1 && line.has("-", in: words[1])
        }
        guard areNumbers, words[0].count == 3, let number = line.number(words[0].lowerBound, 3),
            (100...599).contains(number)
        else { return nil }
        self.init(request: 0..<0, status: words[0], size: words[3], client: nil, number: number)
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
            line[10] == .period
        else { return nil }
        var index = time.end
        _ = AccessRequest.word(line, &index)
        let client = AccessRequest.word(line, &index)
        let result = AccessRequest.word(line, &index)
        guard let slash = line[result].firstIndex(of: .slash),
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
        while index < line.count, line[index] == .space { index += 1 }
        let start = index
        while index < line.count, line[index] != .space { index += 1 }
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
struct SyslogHeader {
    typealias Bytes = UnsafeRawBufferPointer

    /// The structured data, with its brackets.
    let data: Range<Int>
    /// The text, which may be a line of the program.
    let text: Range<Int>
    private let words: [4 of Range<Int>]

    static func isVersioned(_ line: Bytes, _ start: Int) -> Bool {
        start + 1 < line.count && line[start] == UInt8(ascii: "1") && line[start + 1] == .space
    }

    /// Whether a line without a priority has structured data after its time, as RFC 5424 says.
    static func hasData(_ line: Bytes, after end: Int) -> Bool {
        var index = end
        for word in 0..<4 {
            guard index < line.count, line[index] == .space else { return false }
            index += 1
            if word == 0, line[min(index, line.count - 1)] == UInt8(ascii: "[") { return false }
            while index < line.count, line[index] != .space { index += 1 }
        }
        guard index + 2 < line.count, line[index + 1] == UInt8(ascii: "[") else { return false }
        return line[(index + 2)...].prefix(60).contains(UInt8(ascii: "@"))
    }

    /// Reads what begins at the blank in front of the host.
    init(_ line: Bytes, from start: Int) {
        var index = start
        if index < line.count, line[index] == .space { index += 1 }
        var words: [4 of Range<Int>] = .init(repeating: 0..<0)
        for word in words.indices {
            let first = index
            while index < line.count, line[index] != .space { index += 1 }
            words[word] = first..<index
            index = min(index + 1, line.count)
        }
        self.words = words
        let first = index
        if index < line.count, line[index] == UInt8(ascii: "-") {
            index += 1
        } else {
            while index < line.count, line[index] == UInt8(ascii: "[") {
                index = SyslogHeader.endOfElement(line, index)
            }
        }
        data = first..<index
        if index < line.count, line[index] == .space { index += 1 }
        if line[index...].starts(with: [0xEF, 0xBB, 0xBF]) { index += 3 }
        text = index..<line.count
    }

    /// After the bracket that is in no value.
    private static func endOfElement(_ line: Bytes, _ start: Int) -> Int {
        var index = start
        var isQuoted = false
        while index < line.count, isQuoted || line[index] != UInt8(ascii: "]") {
            if line[index] == .quote { isQuoted.toggle() }
            index += line[index] == .backslash ? 2 : 1
        }
        return min(index + 1, line.count)
    }

    /// Puts all but the text into the record.
    func fill(_ line: Bytes, _ record: inout LineRecord) {
        for (index, name) in ["host", "program", "pid", "category"].enumerated() {
            let word = line.text(words[index])
            if word == "-" { continue }
            if index == 1 || index == 3 { record.category = word }
            if index < 3 { record.add(name, word, isLiteral: index == 2 && Int(word) != nil) }
        }
        var index = data.lowerBound
        while index < data.upperBound, line[index] == UInt8(ascii: "[") { readElement(line, &index, &record) }
    }

    /// `[name@1 key="value" …]`; a backslash is in front of `"`, `\` and `]`.
    private func readElement(_ line: Bytes, _ index: inout Int, _ record: inout LineRecord) {
        while index < line.count, line[index] != .space, line[index] != UInt8(ascii: "]") { index += 1 }
        while index < line.count, line[index] != UInt8(ascii: "]") {
            while index < line.count, line[index] == .space { index += 1 }
            let start = index
            while index < line.count, line[index] != UInt8(ascii: "=") { index += 1 }
            let name = line.text(start..<index)
            index += 2
            var value: [UInt8] = []
            while index < line.count, line[index] != .quote {
                if line[index] == .backslash, index + 1 < line.count, line[index + 1].isOne(of: "\"\\]") {
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
