#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite(
    "heartwood view in a browser", .serialized,
    .enabled(if: Browser.path != nil, "Chromium is not installed"),
    .disabled(if: Sanitizer.isActive, "a sanitizer makes the server too slow; see ViewServerTests"), .inTurn)
struct ViewBrowserTests {
    /// A shop's log of an afternoon: a burst of errors, stack traces, fields.
    private static func shop(lines: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 11)
        var text = ""
        var milliseconds = 8 * 3_600_000
        let kinds = [
            ("payments", "payment accepted"), ("orders", "order created"), ("net.http", "GET /api/items"),
            ("db", "query finished"), ("auth", "user signed in"), ("stock", "stock updated"),
        ]
        for number in 0..<lines {
            milliseconds += Int.random(in: 20...(number / 700 % 4 == 1 ? 300 : 2400), using: &random)
            let clock = String(
                format: "%02d:%02d:%02d.%03d", milliseconds / 3_600_000 % 24, milliseconds / 60_000 % 60,
                milliseconds / 1000 % 60, milliseconds % 1000)
            let isBad = number / 350 % 9 == 4 && Int.random(in: 0..<4, using: &random) == 0
            let dice = Int.random(in: 0..<100, using: &random)
            let level =
                isBad
                ? "error"
                : dice < 62
                    ? "info" : dice < 88 ? "debug" : dice < 95 ? "notice" : dice < 99 ? "warning" : "error"
            let (category, words) =
                isBad
                ? ("db", "connection to primary lost: server closed the connection unexpectedly")
                : kinds[Int.random(in: 0..<6, using: &random)]
            let ms = Int.random(in: 1...900, using: &random)
            let order = Int.random(in: 10_000...99_999, using: &random)
            text +=
                "{\"time\":\"2026-11-20T\(clock)Z\",\"level\":\"\(level)\",\"category\":\"\(category)\",\"message\":\"\(words)\",\"order\":\(order),\"ms\":\(ms),\"user\":\"u\(order % 97)\",\"cached\":\(ms % 2 == 0)}\n"
        }
        return Array(text.utf8)
    }

    @Test("The page opens, searches, filters, shows a record and keeps a bookmark, light and dark")
    func opensAndFilters() async throws {
        let view = try ViewFixture([("shop 2026-11-20--08-00-00-000.log", Self.shop(lines: 6000))])
        let browser = try await Browser(in: view.scratch)
        try await browser.prefer("light")
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === 6000")
        try await browser.wait("heartwood.state().rows > 10 && heartwood.state().follow")
        try await browser.wait("document.querySelectorAll('#ticks span').length > 2")
        try keep("view-light.png", try await browser.screenshot())

        // The keyboard: search, next error, open, close.
        try await browser.press("/")
        try await browser.type("primary lost")
        try await browser.wait(
            "document.querySelectorAll('#rows mark').length > 5 && heartwood.state().done === 1")
        let lines = try #require(view.lines("q=primary+lost"))
        let found = lines.count { $0 == 0x0A }
        try await browser.wait("heartwood.state().end - heartwood.state().first === \(found)")
        #expect(
            try await browser.evaluate("new URLSearchParams(location.search).get('q')") as? String
                == "primary lost")
        try await browser.press("Escape")
        try await browser.press("Escape")
        try await browser.wait(
            "location.search === '' && heartwood.state().end - heartwood.state().first === 6000")
        try await browser.press("g")
        try await browser.wait("heartwood.state().selected === -6000")
        try await browser.press("e")
        try await browser.wait("heartwood.state().selected > -6000")
        try await browser.press("Enter")
        try await browser.wait(
            "!document.querySelector('#record').hidden && document.querySelectorAll('#record "
                + "td.v').length > 4"
        )
        try await browser.prefer("dark")
        try await browser.wait("getComputedStyle(document.body).backgroundColor === 'rgb(21, 19, 17)'")
        try keep("view-dark.png", try await browser.screenshot())
        try await browser.prefer("light")
        try await browser.press("Escape")
        try await browser.resize(390, 700)
        try await browser.wait(
            "heartwood.state().rows > 8 && document.querySelector('.row').offsetHeight > 40")
        try keep("view-phone.png", try await browser.screenshot())
        try await browser.resize(1280, 800)
        try await browser.press("Enter")
        try await browser.wait("!document.querySelector('#record').hidden")

        // A click on a field's value, and a brush over the timeline, are filters.
        try await browser.evaluate(
            "[...document.querySelectorAll('#record tr')].find(r => r.textContent.startsWith('user')).querySelector('button').click()"
        )
        try await browser.wait("new URLSearchParams(location.search).getAll('where').length === 1")
        try await browser.evaluate("history.back()")
        try await browser.wait(
            "location.search === '' && heartwood.state().end - heartwood.state().first === 6000")
        let y = try #require(
            try await browser.evaluate("document.querySelector('canvas').getBoundingClientRect().top + 20")
                as? Double)
        try await browser.mouse("mousePressed", 400, y)
        try await browser.mouse("mouseMoved", 500, y)
        try await browser.mouse("mouseReleased", 600, y)
        try await browser.wait(
            "new URLSearchParams(location.search).has('since') && heartwood.state().done === 1")
        let part = try await browser.evaluate("location.search.slice(1)") as? String ?? ""
        let shown = try #require(view.lines(part)).count { $0 == 0x0A }
        #expect(shown > 100)
        try await browser.wait("heartwood.state().end - heartwood.state().first === \(shown)")

        // A bookmark shows the same again.
        try await browser.open(view.server.address + "?level=error&q=lost")
        try await browser.wait(
            "heartwood.state().done === 1 && document.querySelector('.level.edge').textContent.startsWith('error')"
        )
        try await browser.wait("heartwood.state().end - heartwood.state().first === \(found)")
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("A record is copied as JSON with its types, as it is, and as a command that prints it")
    func copies() async throws {
        let line =
            #"{"time":"2026-11-20T10:00:01.123456789Z","level":"error","category":"db","#
            + #""message":"say \"hi\" C:\\temp","ms":12.5,"ok":true,"user":"anna","list":[1,"a"]}"#
        let others = (2..<50).map {
            "{\"time\":\"2026-11-20T10:00:\($0 + 10)Z\",\"message\":\"other \($0)\"}"
        }
        let text = ([line] + others).joined(separator: "\n") + "\n"
        let view = try ViewFixture([("a.log", Array(text.utf8))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === 49")
        try await browser.evaluate(
            "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
        try await browser.press("g")
        try await browser.press("Enter")
        try await browser.wait("document.querySelectorAll('#record .actions button').length >= 3")
        func copied(_ button: String) async throws -> String {
            try await browser.evaluate("window.copied = undefined")
            try await browser.evaluate(
                "[...document.querySelectorAll('#record .actions button')].find(b => b.textContent === '\(button)').click()"
            )
            try await browser.wait("window.copied !== undefined")
            return try #require(try await browser.evaluate("window.copied") as? String)
        }
        #expect(try await copied("Copy line") == line)
        let json = Data(try await copied("Copy as JSON").utf8)
        let object = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(object["message"] as? String == #"say "hi" C:\temp"#)
        #expect(object["time"] as? String == "2026-11-20T10:00:01.123456789Z")
        #expect(object["level"] as? String == "error" && object["category"] as? String == "db")
        #expect(object["ms"] as? Double == 12.5 && object["ok"] as? Bool == true)
        #expect((object["list"] as? [Any])?.count == 2)
        let command = try await copied("Copy grep command")
        #expect(command.hasPrefix("heartwood grep "))
        let outcome = try await ToolProcess().shell("heartwood() { \"$HEARTWOOD\" \"$@\"; }; \(command)")
        #expect(outcome.output == line + "\n", "\(command)")
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("Long logs scroll by wheel, scroll bar and keys, with few elements in the page", .secondTier)
    func scrollsFar() async throws {
        let line = "2026-11-20 10:00:00.000Z info line\n"
        let view = try ViewFixture([("a.log", Array(String(repeating: line, count: 400_000).utf8))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === 400000")
        try await browser.press("g")
        try await browser.wait("heartwood.state().pos === -400000 && heartwood.state().rows > 10")
        try await browser.press("j")
        try await browser.wait("heartwood.state().selected === -399999")
        try await browser.evaluate("document.querySelector('#scroll').scrollTop = 4e6")
        try await browser.wait(
            "heartwood.state().pos > -250000 && heartwood.state().pos < -150000 "
                + "&& heartwood.state().rows > 10"
        )
        let before = try #require(try await browser.evaluate("heartwood.state().pos") as? Double)
        try await browser.evaluate(
            "document.querySelector('#scroll').dispatchEvent(new WheelEvent('wheel', "
                + "{ deltaY: 240, bubbles: true, cancelable: true }))"
        )
        let after = try #require(try await browser.evaluate("heartwood.state().pos") as? Double)
        #expect(abs(after - before - 10) < 0.01)
        try await browser.press("G")
        try await browser.wait("heartwood.state().follow && heartwood.state().pos > -100")
        let elements = try await browser.evaluate("document.querySelectorAll('*').length") as? Int
        #expect(try #require(elements) < 1000)
        #expect(browser.complaints == [])
        await browser.close()
    }

    /// How long the page took to draw one picture after the other, in milliseconds, while it did something each time.
    private func frames(_ browser: Browser, seconds: Int = 3, doing action: String = "") async throws
        -> String
    {
        let script = """
            new Promise(resolve => {
              const gaps = []; let last = performance.now(); const end = last + \(seconds * 1000); let n = 0;
              const draw = () => {
                const now = performance.now(); gaps.push(now - last); last = now; \(action); n += 1;
                if (now < end) { requestAnimationFrame(draw); return; }
                gaps.sort((a, b) => a - b);
                const at = part => gaps[Math.floor((gaps.length - 1) * part)].toFixed(1);
                resolve(`${at(0.5)} ms, 95 % within ${at(0.95)} ms, the longest ${at(1)} ms`);
              };
              requestAnimationFrame(draw);
            })
            """
        return try await browser.evaluate(script) as? String ?? "?"
    }

    @Test(
        "Ten million lines open, scroll and stay small, and 10,000 new lines a second are drawn",
        .enabled(
            if: Tier.isLong,
            "takes 1 GB of disk: HEARTWOOD_LONG=1 swift test -c release -Xswiftc -enable-testing --filter ViewBrowserTests"
        ))
    func tenMillionLines() async throws {
        let lines = 10_000_000
        let text = (0..<1000).map { number in
            "2026-11-20 08:00:00.\(String(format: "%03d", number))Z \(number % 100 == 7 ? "error  " : "info   ") "
                + "orders Shop.swift:42 order created order=\(number) items=\(number % 7) ms=\(number % 900)\n"
        }.joined()
        let view = try ViewFixture([("a.log", [])])
        let path = view.directory + "/a.log"
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for _ in 0..<(lines / 1000) { try file.write(contentsOf: Data(text.utf8)) }
        try file.close()
        let begin = ContinuousClock.now
        let log = ViewLog(paths: [view.directory], key: nil)
        try log.start()
        let server = try ViewServer(log, token: ViewFixture.token)
        defer { server.stop() }
        while log.store.rows.first == 0 { usleep(1000) }
        let first = ContinuousClock.now - begin
        while !log.store.progress.isComplete { usleep(1000) }
        let all = ContinuousClock.now - begin
        print(
            "\(text.utf8.count * lines / 1_000_000_000) GB: the last lines after \(first), all after \(all)")
        #expect(log.store.rows.first == -lines)

        let browser = try await Browser(in: view.scratch)
        try await browser.open(server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === \(lines)")
        let wheel = "new WheelEvent('wheel', { deltaY: -600, bubbles: true, cancelable: true })"
        print(
            "wheel:",
            try await frames(browser, doing: "document.querySelector('#scroll').dispatchEvent(\(wheel))"))
        print(
            "scroll bar:",
            try await frames(browser, doing: "document.querySelector('#scroll').scrollTop = n * 104729 % 8e6")
        )
        let elements = try await browser.evaluate("document.querySelectorAll('*').length") as? Int
        #expect(try #require(elements) < 1000)
        let heap = try await browser.evaluate("performance.memory.usedJSHeapSize / 1e6") as? Double
        print("memory of the page's script: \(Int(heap ?? 0)) MB")
        #expect(try #require(heap) < 100)

        try await browser.press("G")
        let isOver = Locked(false)
        let writer = DispatchGroup()
        writer.enter()
        Thread.detachNewThread {
            let start = ContinuousClock.now
            var count = 0
            while !isOver.withLock({ $0 }), let file = FileHandle(forWritingAtPath: path) {
                let due = Int((ContinuousClock.now - start) / .milliseconds(100)) * 1000
                _ = try? file.seekToEnd()
                while count < due {
                    try? file.write(contentsOf: Data(text.utf8))
                    count += 1000
                }
                try? file.close()
                usleep(10_000)
            }
            writer.leave()
        }
        print("10,000 new lines a second:", try await frames(browser, seconds: 10))
        let rate = try await browser.evaluate("document.querySelector('#rate').textContent") as? String
        print(rate ?? "")
        isOver.withLock { $0 = true }
        await withCheckedContinuation { continuation in
            writer.notify(queue: .global()) { continuation.resume() }
        }
        try await browser.wait("heartwood.state().end % 1000 === 0 && heartwood.state().end > 50000")
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("A log that grows fast is followed across a roll, and the page says what it skips")
    func follows() async throws {
        let view = try ViewFixture([("app 1.log", Array("2026-11-20 10:00:00.000Z info first\n".utf8))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === 1")
        for batch in 0..<10 {
            let name = batch < 5 ? "app 1.log" : "app 2.log"
            let lines = (0..<1000).map {
                "2026-11-20 10:00:\(10 + batch).000Z info line \(batch * 1000 + $0)\n"
            }
            try view.append(lines.joined(), to: name)
        }
        try await browser.wait("heartwood.state().end === 10000 && heartwood.state().follow")
        try await browser.wait(
            "[...document.querySelectorAll('.row:not([hidden]) .m')].some(m => "
                + "m.textContent.endsWith('line 9999'))"
        )
        try await browser.wait("document.querySelector('#rate').textContent.includes('skipped')")
        // Who scrolls up is not pulled down, and is told what came.
        try await browser.press("PageUp")
        try await browser.wait("!heartwood.state().follow")
        try view.append("2026-11-20 10:01:00.000Z error alarm\n", to: "app 2.log")
        try await browser.wait("document.querySelector('#newer').textContent.includes('1 new line')")
        try await browser.press("f")
        try await browser.wait(
            "[...document.querySelectorAll('.row.p1:not([hidden]) .m')].some(m "
                + "=> m.textContent.endsWith('alarm'))"
        )
        view.server.stop()
        try await browser.wait("heartwood.state().lost")
        #expect(browser.complaints.filter { !$0.contains("ERR_") } == [])
        await browser.close()
    }

    private static func lastRow(_ text: String) -> String {
        "[...document.querySelectorAll('.row:not([hidden]) .m')].some(m => m.textContent.endsWith('\(text)'))"
    }

    @Test("Twelve windows at once all show a new line, and each opens a record")
    func manyWindows() async throws {
        let view = try ViewFixture([("a.log", Self.shop(lines: 300))])
        let browser = try await Browser(in: view.scratch)
        var windows: [String] = []
        for number in 0..<12 {
            windows.append(try await browser.openWindow())
            // Each has a filter of its own.
            try await browser.open(view.server.address + (number == 0 ? "" : "?not=nothing\(number)"))
            try await browser.wait("heartwood.state().end - heartwood.state().first === 300")
        }
        try view.append("2026-11-21 10:00:00.000Z error alarm\n", to: "a.log")
        for window in windows {
            browser.use(window)
            try await browser.wait("document.visibilityState === 'visible' && " + Self.lastRow("alarm"))
            try await browser.press("G")
            try await browser.press("k")
            try await browser.press("Enter")
            try await browser.wait("!document.querySelector('#record').hidden")
        }
        for window in windows {
            browser.use(window)
            #expect(try await browser.evaluate("heartwood.state().lost") as? Bool == false)
        }
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("A hidden page gives its connection up; when it is seen, it catches up and is where it was")
    func hiddenPageLeaves() async throws {
        let view = try ViewFixture([("a.log", Self.shop(lines: 3000))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address + "?level=info")
        try await browser.wait("heartwood.state().done === 1 && heartwood.state().rows > 10")
        try await browser.press("g")
        for _ in 0..<5 { try await browser.press("j") }
        try await browser.wait("heartwood.state().selected === heartwood.state().first + 5")
        let place =
            "(s => [s.first, s.pos, s.follow, s.selected, s.generation, s.lost, location.search].join())"
            + "(heartwood.state())"
        let before = try #require(try await browser.evaluate(place) as? String)
        func show(_ isVisible: Bool) async throws {
            try await browser.evaluate(
                """
                Object.defineProperty(document, 'hidden', { value: \(!isVisible), configurable: true });
                document.dispatchEvent(new Event('visibilitychange'))
                """)
        }
        #expect(view.server.eventPlaces.free == ViewEvents.limit - 1)
        try await show(false)
        try await eventually("the page has left") { view.server.eventPlaces.free == ViewEvents.limit }
        let end = try await browser.evaluate("heartwood.state().end") as? Int ?? 0
        let line = "2026-11-21 10:00:00.000Z error alarm\n"
        try view.append(String(repeating: line, count: 1000), to: "a.log")
        #expect(await view.reaches { $0.store.rows.end - $0.store.rows.first == 4000 })
        #expect(try await browser.evaluate("heartwood.state().end") as? Int == end)
        try await show(true)
        try await browser.wait("heartwood.state().end === \(end + 1000)")
        try await browser.wait("document.querySelector('#newer').textContent.includes('1,000 new lines')")
        #expect(try await browser.evaluate(place) as? String == before)
        #expect(try await browser.evaluate("document.querySelector('#rate').hidden") as? Bool == true)
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("What a hostile log says is text in the page, and nothing else")
    func survivesHostileLogs() async throws {
        let attacks = [
            "<script>window.pwned=1</script>", "</script><script>window.pwned=2</script>",
            "<img src=x onerror=window.pwned=3>", "<svg/onload=window.pwned=4>",
            "\"><iframe src=javascript:window.pwned=5>",
            "{{constructor.constructor('window.pwned=6')()}}", "${window.pwned=7}",
            "javascript:window.pwned=8",
            "\u{1b}]0;title\u{7}\u{1b}[31mred", "abc\u{202e}gnp.exe",
            "\u{0}\u{8}\u{7f}\u{85}\u{2028}\u{feff}",
            "&lt;b&gt;&amp;", "<style>*{display:none}</style>", "<base href=//evil.example/>",
            String(repeating: "A", count: 200_000),
            "]]>--><!--", "data: {\"end\":-1}\\n\\ndata: x", "\u{d7ff}\u{fffd}\u{1f4a9}",
        ]
        var bytes: [UInt8] = []
        for (number, attack) in attacks.enumerated() {
            bytes += Array("2026-11-20 10:00:\(10 + number).000Z error \(attack)\n".utf8)
            let object: [String: Any] = [
                "time": "2026-11-20T10:01:\(10 + number)Z", "level": attack, "category": attack,
                "message": attack,
                attack.isEmpty ? "k" : String(attack.prefix(300)): attack, "__proto__": ["polluted": true],
                "constructor": attack,
            ]
            bytes += try JSONSerialization.data(withJSONObject: object) + [0x0A]
        }
        bytes +=
            [0xFF, 0xFE, 0x00, 0x80, 0x0A] + Array("{\"time\":\"2026-11-20T10:05:00Z\",\"a\":[[[[\n".utf8)
        let view = try ViewFixture([("<img src=x onerror=window.pwned=9>.log", bytes)])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        let count = bytes.count { $0 == 0x0A }
        try await browser.wait("heartwood.state().end - heartwood.state().first === \(count)")
        try await browser.press("g")
        try await browser.wait("heartwood.state().rows > 10")
        // Every record is opened.
        for number in 0..<count {
            try await browser.wait("document.querySelectorAll('.row.wait:not([hidden])').length === 0")
            try await browser.evaluate("window.seen = document.querySelector('#record pre')")
            if number == 0 { try await browser.press("Enter") } else { try await browser.press("j") }
            try await browser.wait(
                "document.querySelector('#record pre') && document.querySelector('#record "
                    + "pre') !== window.seen"
            )
        }
        try await browser.open(
            view.server.address
                + "?q=%3Cimg+src%3Dx+onerror%3Dwindow.pwned%3D3%3E&category=%3Cscript%3Ewindow.pwned%3D10%3C%2Fscript%3E&not=%3Cimg+src%3Dx+onerror%3Dwindow.pwned%3D11%3E"
        )
        try await browser.wait(
            "document.querySelectorAll('.chip').length === 2 && heartwood.state().done === 1")
        try await browser.open(view.server.address + "?q=%3Cimg")
        try await browser.wait("document.querySelectorAll('#rows mark').length > 0")
        #expect(try await browser.evaluate("String(window.pwned)") as? String == "undefined")
        #expect(try await browser.evaluate("String({}.polluted)") as? String == "undefined")
        #expect(try await browser.evaluate("document.scripts.length") as? Int == 1)
        #expect(
            try await browser.evaluate(
                "document.querySelectorAll('img, iframe, main svg, main style, base').length") as? Int == 0)
        let text = try await browser.evaluate("document.querySelector('#rows').textContent") as? String ?? ""
        #expect(text.contains("<img src=x onerror=window.pwned=3>"))
        #expect(!text.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B || $0.value == 0 })
        #expect(browser.complaints == [])
        await browser.close()
    }

    /// Checks a picture of the page; keeps it for the documents where `HEARTWOOD_IMAGES` names a directory.
    private func keep(_ name: String, _ picture: Data) throws {
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(picture.count > 20_000 && picture.count < 300_000)
        guard let directory = ProcessInfo.processInfo.environment["HEARTWOOD_IMAGES"] else { return }
        try picture.write(to: URL(fileURLWithPath: directory + "/" + name))
    }
}
#endif
