/// Writes messages as syslog has them, in the frames of a transport.
struct SyslogFrame {
    /// Where a message ends on a stream.
    enum Ending {
        /// Where the datagram ends.
        case datagram
        /// At a line feed (RFC 6587, 3.4.2).
        case newline
        /// After so many bytes as the number in front says (RFC 6587, 3.4.1).
        case counted
    }

    let format: SystemLogger.SyslogFormat
    let ending: Ending
    /// Whether RFC 3164's header names the host: not on the way to a daemon of the same host.
    let namesHost: Bool
    let facility: Int
    /// The most bytes of a message, without its frame; 0: no limit.
    let limit: Int
    private let formatter: SyslogFormatter
    private let host: [UInt8]
    private let program: [UInt8]

    /// The least that every receiver must take (RFC 5424, 6.1).
    static let smallestLimit = 480

    init(
        _ format: SystemLogger.SyslogFormat, ending: Ending, namesHost: Bool, limit: Int,
        options: SyslogFormatter.Options
    ) {
        self.format = format
        self.ending = ending
        self.namesHost = namesHost
        self.limit = limit == 0 ? 0 : max(SyslogFrame.smallestLimit, limit)
        facility = options.facility.rawValue
        formatter = SyslogFormatter(options)
        host = SyslogFormatter.name(options.host ?? ProcessFacts.host, longest: 255)
        // RFC 3164, 4.1.3: 32 characters; what ends the tag must not be part of it.
        program = SyslogFormatter.name(options.program ?? ProcessFacts.name, longest: 32).map {
            ":[]".utf8.contains($0) ? UInt8(ascii: "_") : $0
        }
    }

    /// Adds the message; `text` adds its text on one line, or says that it is to be left out.
    ///
    /// - Returns: whether it was added, and whether something had to be cut off.
    func append(
        _ message: LogMessage, to output: inout LogBuffer, text: (inout LogBuffer) -> Bool
    ) -> (isWanted: Bool, isCut: Bool) {
        let start = output.count
        var isCut = appendHeader(of: message, to: &output)
        guard text(&output) else {
            output.truncate(to: start)
            return (false, false)
        }
        if format == .rfc3164 { output.append(fieldsOf: message) }
        if limit > 0, output.count - start > limit {
            output.truncate(from: start, toUTF8: limit)
            isCut = true
        }
        switch ending {
        case .datagram: break
        case .newline: output.append(UInt8(ascii: "\n"))
        case .counted:
            output.replaceEnd(from: start) { bytes, output in
                output.append(bytes.count)
                output.append(UInt8(ascii: " "))
                output.append(bytes)
            }
        }
        return (true, isCut)
    }

    /// Adds what is in front of the text; returns whether the fields did not fit.
    private func appendHeader(of message: LogMessage, to output: inout LogBuffer) -> Bool {
        let start = output.count
        if format == .rfc3164 {
            appendOldHeader(of: message, to: &output)
            return false
        }
        formatter.appendHeader(of: message, includesFields: true, to: &output)
        // Half a list of fields could not be read: where they leave no room for a text, they are left out.
        if limit == 0 || output.count - start <= limit / 4 * 3 { return false }
        output.truncate(to: start)
        formatter.appendHeader(of: message, includesFields: false, to: &output)
        return true
    }

    /// `<14>Nov 21 10:20:30 web1 shop[512]: [payments] `, the time in the zone of the host.
    private func appendOldHeader(of message: LogMessage, to output: inout LogBuffer) {
        output.append(UInt8(ascii: "<"))
        output.append(facility * 8 + message.level.syslogSeverity)
        output.append(UInt8(ascii: ">"))
        let offset = LogTimeZone.local.offset(at: message.timestamp.wholeSeconds)
        let time = CivilTime(nanoseconds: (message.timestamp + .seconds(offset)).nanoseconds)
        output.append(String(LogBuffer.months[time.month - 1].prefix(3)))
        output.append(UInt8(ascii: " "))
        if time.day < 10 { output.append(UInt8(ascii: " ")) }
        output.append(time.day)
        output.append(UInt8(ascii: " "))
        output.append(seconds: time)
        output.append(UInt8(ascii: " "))
        if namesHost {
            output.append(host)
            output.append(UInt8(ascii: " "))
        }
        output.append(program)
        output.append(UInt8(ascii: "["))
        output.append(ProcessFacts.identifier)
        output.append("]: " as StaticString)
        if message.category != .default {
            output.append(UInt8(ascii: "["))
            output.append(safe: message.category.name)
            output.append("] " as StaticString)
        }
    }
}

extension LogBuffer {
    /// Puts the text from `start` on, which a formatter has made safe to its own taste, on one line.
    mutating func makeLine(from start: Int) {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        if LogBuffer.needsEscaping(bytes) {
            replaceEnd(from: start) { $1.appendEscaped($0, backslash: false) }
        }
    }
}
