import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

private let moment = LogTimestamp(nanoseconds: 1_763_634_030_123_456_789)

private func message(_ text: LogText = "charged \(12.5, as: "amount") EUR", level: LogLevel = .warning)
    -> LogMessage
{
    LogMessage(
        text, level: level, category: LogCategory("shop.payments"), context: 3, tag: "a tag",
        metadata: ["order": 17, "who": "ann"], timestamp: moment, sequence: 42, file: "Shop/Cart.swift",
        function: "charge(_:for:)", line: 7, threadID: 99, threadName: "worker", queueLabel: "shop.queue",
        taskName: "checkout")
}

private func line(_ pattern: String, _ message: LogMessage, _ options: PatternFormatter.Options = .init())
    throws -> String?
{
    try PatternFormatter(pattern, options).format(message)
}

@Suite("The pattern formatter", .inTurn)
struct PatternFormatterTests {
    @Test(
        "Each token writes what it says",
        arguments: [
            ("{level} {LEVEL} {levelLetter} {severity}", "warning WARNING W 4"),
            ("{category}: {message}", "shop.payments: charged 12.5 EUR"),
            ("{message}{fields}", "charged 12.5 EUR {order=17 who=ann}"),
            ("{field.amount} {field.order} {field.none}|", "12.5 17 |"),
            ("{file} {fileName} {path} {module}", "Cart.swift Cart Shop/Cart.swift Shop"),
            ("{function}:{line}", "charge(_:for:):7"),
            ("{thread} {threadID} {threadName} {queue} {task}", "shop.queue 99 worker shop.queue checkout"),
            ("{context} {tag} {sequence}", "3 a tag 42"),
            ("{time}", "2025-11-20 10:20:30.123Z"), ("{utc:HH:mm}", "10:20"),
            ("{{{level}}}", "{warning}"), ("no tokens, é 😀", "no tokens, é 😀"), ("a}}b{{c", "a}b{c"),
            ("{color}{level}{reset}", "warning"), ("{pid}", "\(getpid())"),
        ])
    func tokens(pattern: String, expected: String) throws {
        #expect(try line(pattern, message()) == expected)
    }

    @Test("What a message does not have is empty")
    func absent() throws {
        let empty = LogMessage("x", timestamp: moment, file: "", function: "", line: 0, threadID: 5)
        #expect(
            try line("{file}|{module}|{function}|{queue}|{task}|{threadName}|{tag}|{fields}|{thread}", empty)
                == "||||||||5")
    }

    @Test(
        "Widths fill and cut, counting characters",
        arguments: [
            ("[{level:10}]", "[warning   ]"), ("[{level:>10}]", "[   warning]"),
            ("[{level:^10}]", "[ warning  ]"),
            ("[{level:.4}]", "[warn]"), ("[{level:.-4}]", "[ning]"), ("[{LEVEL:*<9.12}]", "[WARNING**]"),
            ("[{level:3}]", "[warning]"), ("[{level:.0}]", "[]"), ("[{level:->9}]", "[--warning]"),
            ("[{line:0>4}]", "[0007]"), ("[{process:.0}]", "[]"), ("[{level:.}}]", ""),
        ])
    func widths(pattern: String, expected: String) throws {
        if expected.isEmpty {
            #expect(throws: PatternError.self) { try PatternFormatter(pattern) }
        } else {
            #expect(try line(pattern, message()) == expected)
        }
    }

    @Test("A width never tears a character apart, and counts what is escaped as it is written")
    func characters() throws {
        #expect(try line("[{message:.3}]", message("äöüß")) == "[äöü]")
        #expect(try line("[{message:.-3}]", message("äöüß")) == "[öüß]")
        #expect(try line("[{message:>6}]", message("äöüß")) == "[  äöüß]")
        #expect(try line("[{message:6}]", message("a\nb")) == "[a\\nb  ]")
    }

    @Test(
        "A wrong pattern is an error that points at the character",
        arguments: [
            ("", 0, "empty"), ("{tiem} x", 1, "did you mean “time”"), ("a {", 2, "Unmatched"),
            ("a } b", 2, "Unmatched"), ("{}", 1, "Empty braces"), ("{level:x}", 7, "Invalid width"),
            ("{level:}", 7, "Invalid width"), ("{level:5.3}", 9, "less than the minimum"),
            ("{level:.}", 8, "Missing maximum width"), ("{level:9999}", 7, "The maximum width is"),
            ("{level:é>5}", 7, "ASCII"), ("{color:5}", 6, "no width"),
            ("é {utc:HH:mm:qq}", 13, "Unknown letter “q”"),
            ("{time:yyyyy}", 6, "Unsupported date field “yyyyy”"), ("{time:HH'x}", 8, "Unmatched"),
            ("{time:}", 6, "empty"),
            ("{time:SSSSSSSSSS}", 6, "nine decimal places"), ("{field.}", 7, "Missing field name"),
            ("a\nb", 1, "line breaks"),
            ("{xyzzyplugh}", 1, "there are "),
        ])
    func errors(pattern: String, position: Int, reason: String) throws {
        let error = try #require(throws: PatternError.self) { try PatternFormatter(pattern) }
        #expect(error.position == position, "\(error)")
        #expect(error.reason.contains(reason), "\(error)")
        #expect(error.pattern == pattern)
        let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == Substring(String(repeating: " ", count: 4 + position) + "^"))
    }

    @Test("Colours are there where the output shows them, by the palette, and always end")
    func colors() throws {
        func colored(
            _ pattern: String, _ depth: ConsoleColorDepth, _ options: PatternFormatter.Options = .init()
        )
            throws -> String
        {
            var buffer = LogBuffer()
            buffer.colorDepth = depth
            _ = try PatternFormatter(pattern, options).format(message(), into: &buffer)
            return buffer.text
        }
        let pattern = "{color}{LEVEL}{reset} {message}"
        #expect(try colored(pattern, .none) == "WARNING charged 12.5 EUR")
        #expect(try colored(pattern, .ansi) == "\u{1B}[33mWARNING\u{1B}[0m charged 12.5 EUR")
        #expect(try colored("{color}{level}", .full) == "\u{1B}[33mwarning\u{1B}[0m")
        var options = PatternFormatter.Options()
        options.colorDepth = ConsoleColorDepth.none
        #expect(try colored(pattern, .full, options) == "WARNING charged 12.5 EUR")
        options.colorDepth = .ansi
        options.palette.categories[LogCategory("shop.payments")] = ConsoleStyle(.red)
        #expect(try colored("{color}{level}", .none, options) == "\u{1B}[31mwarning\u{1B}[0m")
        #expect(try PatternFormatter(pattern).writesOwnColors)
        #expect(try !PatternFormatter("{message}").writesOwnColors)
        options.escaping = .none
        #expect(try !PatternFormatter(pattern, options).writesOwnColors)
    }

    @Test("The console leaves the colours of a pattern alone, and colours other lines as a whole")
    func console() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let dispatcher = LogDispatcher()
            let own = ConsoleLogger(
                .standardError, formatter: try PatternFormatter("{color}{level}{reset} {message}"))
            let plain = ConsoleLogger(.standardOutput, formatter: try PatternFormatter("{level} {message}"))
            (own.colorDepth, plain.colorDepth) = (.ansi, .ansi)
            dispatcher.add(own)
            dispatcher.add(plain)
            logWarning("x\u{1B}[31my", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
        }
        let own = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(own.contains("\u{1B}[33mwarning\u{1B}[0m x\\u{1b}[31my\n"), "\(own.debugDescription)")
        let plain = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(plain.contains("\u{1B}[33mwarning x\\u{1b}[31my\u{1B}[0m\n"), "\(plain.debugDescription)")
    }

    @Test("Dates are written in the pattern's zone, the text of a second being kept between messages")
    func dates() throws {
        var options = PatternFormatter.Options()
        options.zone = .offset(.seconds(5400))
        #expect(try line("{time}", message(), options) == "2025-11-20 11:50:30.123+01:30")
        #expect(
            try line("{time:EEE, d MMM yy h:mm a xx XXX z DDD}|{utc:XXX}", message(), options)
                == "Thu, 20 Nov 25 11:50 AM +0130 +01:30 GMT+01:30 324|Z")
        let formatter = try PatternFormatter("{utc:HH:mm:ss.SSSSSS,S 'at' ''S}")
        let texts = [moment.nanoseconds, moment.nanoseconds + 700_000_000, moment.nanoseconds + 900_000_000]
            .map {
                formatter.format(LogMessage("", timestamp: LogTimestamp(nanoseconds: $0)))
            }
        #expect(texts == ["10:20:30.123456,1 at '1", "10:20:30.823456,8 at '8", "10:20:31.023456,0 at '0"])
    }

    @Test("Private values are redacted unless the formatter reveals them")
    func privacy() throws {
        let text: LogText = "mail \("ann@example.org", as: "mail", privacy: .private)"
        #expect(try line("{message} {field.mail}", message(text)) == "mail <private> <private>")
        var options = PatternFormatter.Options()
        options.privacy = .reveal
        #expect(try line("{field.mail}", message(text), options) == "ann@example.org")
    }

    @Test("It serves many threads at once")
    func shared() throws {
        let formatter = try PatternFormatter("{utc:mm:ss.SSS} {message:>6}")
        onThreads(4) { thread in
            for index in 0..<Load.scaled(2000) {
                let second = thread * 100 + index % 3
                let time = LogTimestamp(nanoseconds: Int64(second) * 1_000_000_000)
                let expected = String(format: "%02d:%02d.000 %6d", second / 60, second % 60, index)
                #expect(formatter.format(LogMessage("\(index)", timestamp: time)) == expected)
            }
        }
    }
}

@Suite("Labels of threads and queues", .inTurn)
struct ThreadLabelTests {
    private func label(
        _ label: ThreadLabel = ThreadLabel(), thread: String? = nil, queue: String? = nil
    ) throws -> String? {
        var options = PatternFormatter.Options()
        options.threadLabel = label
        return try line(
            "{thread}", LogMessage("", threadID: 77, threadName: thread, queueLabel: queue), options)
    }

    @Test("The queue's label goes before the thread's name, and that before its number")
    func precedence() throws {
        #expect(try label(thread: "worker", queue: "net") == "net")
        #expect(try label(thread: "worker") == "worker")
        #expect(try label() == "77")
        #expect(try label(thread: "worker", queue: "com.apple.root.default-qos") == "worker")
        #expect(try label(thread: "-qos.overcommit", queue: "com.apple.root.utility-qos.overcommit") == "77")
        #expect(try label(queue: "com.apple.main-thread") == "main")
    }

    @Test("Replacements, least and greatest length")
    func shapes() throws {
        var wanted = ThreadLabel(minimumLength: 6, maximumLength: 8)
        wanted.replacements["org.example.network"] = "net"
        #expect(try label(wanted, queue: "org.example.network") == "net   ")
        #expect(try label(wanted, queue: "org.example.other") == "org.exam")
        #expect(try label(wanted, queue: "exactly") == "exactly")
        #expect(try label(wanted) == "77    ")
        wanted.replacements = [:]
        #expect(try label(wanted, queue: "com.apple.main-thread") == "com.appl")
    }
}

@Suite("Layouts of other systems", .inTurn)
struct LayoutTests {
    @Test("CocoaLumberjack's file, console and queue layouts")
    func cocoaLumberjack() {
        let message = message("hello")
        #expect(PatternFormatter.cocoaLumberjackFile().format(message) == "2025/11/20 10:20:30:123  hello")
        let name = ProcessFacts.name
        #expect(
            PatternFormatter.cocoaLumberjackConsole(zone: .utc).format(message)
                == "2025-11-20 10:20:30:123 \(name)[\(getpid()):99] hello")
        let label = ThreadLabel(minimumLength: 12, maximumLength: 20)
        #expect(
            PatternFormatter.dispatchQueue(label: label, zone: .utc).format(message)
                == "2025-11-20 10:20:30:123 [shop.queue  ] hello")
    }

    @Test(
        "SwiftyBeaver's format strings",
        arguments: [
            (
                "$ZHH:mm:ss.SSS$z $C$L$c $N.$F:$l - $M",
                "10:20:30.123 WARNING Cart.charge():7 - charged 12.5 EUR"
            ),
            ("$L|$M|$T|$n", "WARNING|charged 12.5 EUR|shop.queue|Cart.swift"),
            ("$10L|$-10L|$3L", "   WARNING|WARNING   |WARNING"),
            ("[$X] $Itext", "[3] text"), ("$q is kept", "q is kept"), ("$M   ", "charged 12.5 EUR"),
            ("plain", "plain"), ("$$L", "WARNING"), ("$Zyyyy-MM-dd$z", "2025-11-20"), ("$-5q", "-5q"),
        ])
    func swiftyBeaver(format: String, expected: String) throws {
        #expect(try LogFormatter.swiftyBeaver(format).format(message()) == expected)
    }

    @Test("SwiftyBeaver's default format, its uptime, and a context that is not there")
    func swiftyBeaverMore() throws {
        let full = try #require(try LogFormatter.swiftyBeaver().format(message()))
        #expect(full.hasSuffix(".123 WARNING Cart.charge():7 - charged 12.5 EUR"))
        let uptime = try LogFormatter.swiftyBeaver("$U")
        let later = LogMessage("", timestamp: SystemClock().now() + .seconds(3725))
        #expect(try #require(uptime.format(later)).hasPrefix("01:02:0"))
        #expect(uptime.format(message()) == "00:00:00.000")
        #expect(try LogFormatter.swiftyBeaver("[$X]").format(LogMessage("")) == "[]")
    }

    @Test("SwiftyBeaver's formats with mistakes are errors instead of crashes")
    func swiftyBeaverErrors() throws {
        let digits = try #require(throws: PatternError.self) { _ = try LogFormatter.swiftyBeaver("a $10") }
        #expect(digits.position == 3)
        let date = try #require(throws: PatternError.self) { _ = try LogFormatter.swiftyBeaver("$DHH:qq$d") }
        #expect(date.position == 5)
    }

    @Test("SwiftyBeaver's $J gives its keys")
    func swiftyBeaverJSON() throws {
        #expect(
            try LogFormatter.swiftyBeaver("$J").format(message("x")) == """
                {"timestamp":1763634030.123456789,"level":3,"message":"x","thread":"shop.queue",\
                "file":"Shop/Cart.swift","function":"charge(_:for:)","line":7,"context":3,"order":17,"who":"ann"}
                """)
    }
}
