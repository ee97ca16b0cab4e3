#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite(
    "The page of heartwood view for its readers", .serialized,
    .enabled(if: Browser.path != nil, "Chromium is not installed"),
    .disabled(if: Sanitizer.isActive, "a sanitizer makes the server too slow; see ViewServerTests"), .heavy)
struct ViewPageTests {
    /// Lines of several files, with colors, stack traces and fields.
    private static func files() -> [(name: String, bytes: [UInt8])] {
        var texts = ["", "", ""]
        for number in 0..<900 {
            let clock = String(format: "2026-11-20T10:%02d:%02d.%03dZ", number / 60, number % 60, number)
            let level = ["info", "debug", "notice", "warning", "error"][number % 31 == 7 ? 4 : number % 4]
            switch number % 3 {
            case 0:
                texts[0] +=
                    "\(clock.replacingOccurrences(of: "T", with: " ")) \u{1B}[32m\(level)\u{1B}[0m colored \u{1B}[31mword\u{1B}[0m \(number)\n"
                if level == "error" { texts[0] += "  at Pool.lease()\n  at main\n" }
            default:
                texts[number % 3] +=
                    "{\"time\":\"\(clock)\",\"level\":\"\(level)\",\"category\":\"net.http\",\"message\":\"order \(number) created\",\"ms\":\(number % 50),\"user\":\"u\(number % 7)\"}\n"
            }
        }
        return [
            ("gateway.log", Array(texts[0].utf8)), ("orders.log", Array(texts[1].utf8)),
            ("shop.log", Array(texts[2].utf8)),
        ]
    }

    private func count(_ browser: Browser, _ count: Int) async throws {
        try await browser.wait(
            "heartwood.state().done === 1 && heartwood.state().indexed === 1 && heartwood.state().end - heartwood.state().first === \(count)"
        )
    }

    /// Serves on a port that another server has just given up: its thread may not have closed it yet.
    private func serve(_ log: ViewLog, _ port: Int, _ token: String) async throws -> ViewServer {
        for _ in 0..<600 {
            if let server = try? ViewServer(log, port: port, token: token) { return server }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try ViewServer(log, port: port, token: token)
    }

    @Test("After a restart of the server, an open page shows the lines of the new run, where it was before")
    func survivesRestart() async throws {
        let text = (0..<500).map { "2026-11-20 10:\($0 / 60 + 10):\($0 % 60 + 10).000Z info line \($0)\n" }
        let view = try ViewFixture([("a.log", Array(text.joined().utf8))])
        // A port that is given, as with --port, can be taken again at once.
        let port = view.port
        view.server.stop()
        let before = ViewLog(paths: [view.directory], key: nil)
        try before.start()
        let first = try await serve(before, port, ViewFixture.token)
        let browser = try await Browser(in: view.scratch)
        try await browser.open(first.address)
        try await count(browser, 500)
        first.stop()
        try await browser.wait("heartwood.state().lost")
        try view.append((0..<40).map { "2026-11-20 12:00:00.000Z error new \($0)\n" }.joined(), to: "a.log")
        let log = ViewLog(paths: [view.directory], key: nil)
        try log.start()
        let server = try await serve(log, port, ViewFixture.token)
        try await count(browser, 540)
        try await browser.wait(
            "[...document.querySelectorAll('.row:not([hidden]) .m')].some(m => m.textContent === 'new 39')")
        #expect(
            try await browser.evaluate(
                "[...document.querySelectorAll('.row:not([hidden]) .m')].some(m => m.textContent === 'line 499')"
            )
                as? Bool == false)
        server.stop()
        await browser.close()
    }

    @Test(
        "A word that is typed is one entry of the history, Back returns to the place, and a link leads to a line",
        .secondTier)
    func keepsHistory() async throws {
        let view = try ViewFixture(Self.files())
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().indexed === 1 && heartwood.state().rows > 10")
        try await browser.press("g")
        for _ in 0..<3 { try await browser.press("PageDown") }
        let place = try #require(try await browser.evaluate("heartwood.state().pos") as? Double)
        let entries = try #require(try await browser.evaluate("history.length") as? Int)
        try await browser.press("/")
        for (index, letter) in ["o", "r", "d", "e", "r"].enumerated() {
            try await browser.type(letter)
            // Each letter alone becomes a search.
            let text = String("order".prefix(index + 1))
            try await browser.wait("new URLSearchParams(location.search).get('q') === '\(text)'")
        }
        #expect(try await browser.evaluate("history.length") as? Int == entries + 1)
        try await browser.press("Escape")
        try await browser.evaluate("history.back()")
        try await browser.wait("location.search === '' && Math.abs(heartwood.state().pos - \(place)) < 1")

        try await browser.press("j")
        try await browser.press("Enter")
        try await browser.wait("location.hash.includes('line=') && !document.querySelector('#record').hidden")
        let message = try #require(
            try await browser.evaluate("document.querySelector('#record .message').textContent") as? String)
        let link = try #require(try await browser.evaluate("location.href") as? String)
        try await browser.open("about:blank", isPage: false)
        try await browser.open(link)
        try await browser.wait("!document.querySelector('#record').hidden")
        #expect(
            try await browser.evaluate("document.querySelector('#record .message').textContent") as? String
                == message)
        #expect(try await browser.evaluate("heartwood.state().selected !== null") as? Bool == true)
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test(
        "Rows that are copied are rows: with the mouse one line each, with Ctrl-C the lines as they are",
        .secondTier)
    func copiesRows() async throws {
        let text = (0..<300).map {
            "2026-11-20 10:00:00.\($0 + 100)Z info shop A.swift:1 line \($0) ms=\($0)\n"
        }
        let view = try ViewFixture([("a.log", Array(text.joined().utf8))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await count(browser, 300)
        try await browser.press("g")
        try await browser.wait(
            "heartwood.state().selected === -300 && heartwood.state().rows > 10 "
                + "&& document.querySelectorAll('.row.wait:not([hidden])').length === 0")
        let script = """
            (() => {
              const nodes = [...document.querySelectorAll('.row:not([hidden])')].sort((a, b) => a.n - b.n);
              const range = document.createRange(); range.setStart(nodes[0], 0); range.setEnd(nodes[4], nodes[4].childNodes.length);
              getSelection().removeAllRanges(); getSelection().addRange(range);
              const data = new DataTransfer(), event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
              nodes[0].dispatchEvent(event); getSelection().removeAllRanges();
              return data.getData('text/plain');
            })()
            """
        let copied = try await eventually("rows can be copied") {
            let copied = try await browser.evaluate(script) as? String
            return copied == "" ? nil : copied
        }
        #expect(copied.split(separator: "\n").count == 5)
        #expect(copied.hasPrefix("2026-11-20 10:00:00.100 info shop line 0"))
        // More than a screen.
        try await browser.evaluate(
            "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
        for _ in 0..<99 { try await browser.press("J") }
        try await browser.wait("heartwood.state().selected === -201")
        try await browser.evaluate(
            "dispatchEvent(new KeyboardEvent('keydown', { key: 'c', ctrlKey: true, bubbles: true, cancelable: true }))"
        )
        try await browser.wait("window.copied !== undefined")
        #expect(try await browser.evaluate("window.copied") as? String == text[0..<100].joined())
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test(
        "Colors, files, fields, columns, highlights, marks and folded traces are there by keys alone",
        .secondTier)
    func usesEverything() async throws {
        let view = try ViewFixture(Self.files())
        let lines = Self.files().reduce(0) { $0 + $1.bytes.count { $0 == 0x0A } }
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await count(browser, lines)
        try await browser.wait("document.querySelectorAll('.row .m .f1').length > 3")
        try await browser.wait(
            "new Set([...document.querySelectorAll('.row .w')].map(w => w.textContent)).size === 3")
        try await browser.press("x")
        try await browser.wait("document.querySelectorAll('#facets details').length >= 5")
        try await browser.evaluate(
            "(() => { const d = [...document.querySelectorAll('#facets details')].find(d => d.dataset.name.endsWith(' ms')); d.open = true; d.querySelector('input').click() })()"
        )
        try await browser.wait("[...document.querySelectorAll('.row .k')].some(k => k.textContent !== '')")
        try await browser.press("x")
        try await browser.press("h")
        try await browser.type("order")
        try await browser.press("Enter")
        try await browser.wait(
            "document.querySelectorAll('.row mark.h1').length > 3 && heartwood.state().selected !== null")
        try await count(browser, lines)
        let selected = try #require(try await browser.evaluate("heartwood.state().selected") as? Int)
        try await browser.press("N")
        try await browser.wait("heartwood.state().selected < \(selected)")
        try await browser.press("n")
        try await browser.wait("heartwood.state().selected === \(selected)")
        try await browser.press("m")
        try await browser.wait("document.querySelectorAll('.row.marked').length === 1")
        try await browser.press("g")
        try await browser.press("'")
        try await browser.wait("heartwood.state().selected === \(selected)")
        try await browser.press("r")
        try await browser.wait("new URLSearchParams(location.search).get('fold') === '1'")
        try await count(browser, 900)
        try await browser.press("E")
        try await browser.press("5")
        try await browser.wait("new URLSearchParams(location.search).get('level') === '=info'")
        try await browser.press("2")
        try await browser.wait("new URLSearchParams(location.search).get('level') === 'error,info'")
        #expect(browser.complaints == [])
        await browser.close()
    }

    /// What a look at the page finds: text that is too faint, controls without names, rows that are none, what is cut off.
    private static let inspection = """
        (() => {
          const found = [];
          const shade = c => { const v = c.map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4 }); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
          const numbers = text => { const m = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
          const ground = node => {
            const layers = [];
            for (let n = node; n; n = n.parentElement) { const c = numbers(getComputedStyle(n).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] >= 1) break; }
            let base = [255, 255, 255];
            for (const c of layers.reverse()) base = base.map((b, i) => c[i] * c[3] + b * (1 - c[3]));
            return base;
          };
          const isSeen = node => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && node.getBoundingClientRect().width > 1;
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const node = walker.currentNode.parentElement;
            if (!walker.currentNode.textContent.trim() || !isSeen(node) || node.closest('.row.wait') || node.tagName === 'SCRIPT' || node.tagName === 'STYLE') continue;
            const front = shade(numbers(getComputedStyle(node).color)), back = shade(ground(node));
            const contrast = (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
            if (contrast < 4.5) found.push('contrast ' + contrast.toFixed(2) + ': ' + node.className + ' ' + node.textContent.slice(0, 30));
          }
          for (const node of document.querySelectorAll('button, input, select')) {
            if (!isSeen(node)) continue;
            const name = node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label')?.textContent.trim();
            if (!name || !/[\\p{L}\\p{N}]/u.test(name)) found.push('no name: ' + node.outerHTML.slice(0, 80));
            const box = node.getBoundingClientRect(), strip = node.closest('#filters, .body, #facets, dialog');
            if (!strip && (box.left < -1 || box.right > innerWidth + 1)) found.push('cut off: ' + node.outerHTML.slice(0, 80));
          }
          const list = document.querySelector('[role=listbox]');
          if (!list || !list.querySelector('[role=option]')) found.push('the lines have no roles');
          const active = list && list.getAttribute('aria-activedescendant');
          if (heartwood.state().selected !== null && !(active && document.getElementById(active))) found.push('the selected line is not told');
          for (const option of document.querySelectorAll('[role=option]:not([hidden])')) if (!option.hasAttribute('aria-selected') || !option.hasAttribute('aria-posinset')) found.push('a row is not told');
          for (const button of document.querySelectorAll('button.level')) if (!button.hasAttribute('aria-pressed')) found.push('a level is not told');
          if (document.querySelectorAll('h1').length !== 1) found.push('no heading');
          for (const part of ['header', 'main', 'footer', '[role=search]', '[role=status]']) if (!document.querySelector(part)) found.push('no ' + part);
          if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window');
          return found;
        })()
        """

    /// Where the rules of axe-core are, if a package of Python that has them is installed.
    private static let axe: String? = {
        guard Tier.isFull else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import axe_playwright_python as a; print(open(a.__path__[0] + '/axe.min.js').read())",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if text.isEmpty { print("skipped: axe-core is not installed (pip install axe-playwright-python)") }
        return text.isEmpty ? nil : text
    }()

    private func inspect(_ browser: Browser, _ name: String) async throws {
        let found = try await browser.evaluate(Self.inspection) as? [String] ?? ["no answer"]
        #expect(found == [], "\(name)")
        guard let axe = Self.axe else { return }
        try await browser.evaluate(axe)
        let violations = try await browser.evaluate(
            "axe.run(document).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 100)).join(' | ')))"
        )
        #expect(violations as? [String] == [], "axe-core, \(name)")
    }

    @Test(
        "Everything can be read, has a name and is within reach, in light and dark, on a phone and at 400 %",
        arguments: ["light", "dark"],
        Tier.amount([[390, 844]], full: [[1280, 800], [390, 844], [320, 256]]))
    func isAccessible(_ scheme: String, _ size: [Int]) async throws {
        let view = try ViewFixture(Self.files())
        let browser = try await Browser(in: view.scratch)
        try await browser.prefer(scheme)
        try await browser.resize(size[0], size[1])
        try await browser.open(view.server.address + "?hl=word&q=o")
        let name = "\(scheme) \(size[0])"
        try await browser.wait("heartwood.state().done === 1 && heartwood.state().rows > 2")
        try await inspect(browser, name)
        try await browser.press("E")
        try await browser.wait("document.querySelector('[aria-activedescendant]') !== null")
        try await inspect(browser, name + ", selected")
        try await browser.press("Enter")
        try await browser.wait("document.querySelectorAll('#record table').length > 0")
        try await inspect(browser, name + ", record")
        try await browser.press("Escape")
        try await browser.press("x")
        try await browser.wait("document.querySelectorAll('#facets details').length > 3")
        try await inspect(browser, name + ", fields")
        try await browser.press("x")
        for key in ["?", "a"] {
            try await browser.press(key)
            try await browser.wait("document.querySelector('dialog[open]') !== null")
            try await inspect(browser, name + ", " + key)
            try await browser.evaluate("document.querySelector('dialog[open]').close()")
        }
        // At least two lines can be seen at once, however small the window is.
        let seen = try await browser.evaluate(
            "document.querySelector('#list').getBoundingClientRect().height / 46")
        #expect(try #require(seen as? Double) >= 2)
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("A message is whole as long as there is room for it, whatever fields are behind it")
    func showsMessagesWhole() async throws {
        let lines = (0..<200).map {
            "{\"time\":\"2026-11-20T10:00:00.\($0 + 100)Z\",\"level\":\"info\",\"message\":\"Retry after timeout \($0)\",\"ms\":\($0),\"user\":\"u\($0)\",\"path\":\"/a/long/path/that/needs/room\"}\n"
        }
        let view = try ViewFixture([("a.log", Array(lines.joined().utf8))])
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await count(browser, 200)
        try await browser.press("E")
        try await browser.press("k")
        try await browser.press("Enter")
        try await browser.wait("!document.querySelector('#record').hidden && heartwood.state().rows > 10")
        let cut = try await browser.evaluate(
            "[...document.querySelectorAll('.row:not([hidden]) .m')].filter(m => m.scrollWidth > m.clientWidth).length"
        )
        #expect(cut as? Int == 0)
        // A field is shown as a whole or not at all.
        let fields = try await browser.evaluate(
            """
            [...document.querySelectorAll('.row:not([hidden]) .f span')].map(f => {
              const box = f.getBoundingClientRect(), room = f.parentNode.getBoundingClientRect();
              return box.top >= room.bottom ? 'none' : box.right <= room.right + 1 ? 'whole' : 'cut' })
            """)
        #expect(Set(try #require(fields as? [String])) == ["none", "whole"])
        await browser.close()
    }
}
#endif
