#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite(
    "The layout of the page of heartwood view", .serialized,
    .enabled(if: Browser.path != nil, "Chromium is not installed"),
    .disabled(if: Sanitizer.isActive, "a sanitizer makes the server too slow; see ViewServerTests"), .inTurn)
struct ViewLayoutTests {
    private static func lines(_ count: Int, hour: Int, level: (Int) -> String = { _ in "info" }) -> [UInt8] {
        let lines = (0..<count).map { number in
            let clock = String(format: "%02d:%02d:%02d", hour, number / 60 % 60, number % 60)
            return "2026-11-20 \(clock).000Z \(level(number)) line \(number) ms=\(number % 90)\n"
        }
        return Array(lines.joined().utf8)
    }

    @Test("A run of removed lines is told once, with its number")
    func removedRun() async throws {
        let view = try ViewFixture([
            ("a.log", Self.lines(350, hour: 10)), ("b.log", Self.lines(200, hour: 11)),
            ("c.log", Self.lines(1, hour: 12)),
        ])
        #expect(await view.indexed())
        try FileManager.default.removeItem(atPath: view.directory + "/a.log")
        try FileManager.default.removeItem(atPath: view.directory + "/c.log")
        #expect(await view.reaches { $0.store.files.present.count == 1 })
        let browser = try await Browser(in: view.scratch)
        try await browser.open(view.server.address)
        try await browser.wait("heartwood.state().end - heartwood.state().first === 551")
        let told =
            "[...document.querySelectorAll('.row.gone:not(.more):not([hidden]) .m')].map(m => m.textContent)"
        try await browser.wait("\(told).join() === '1 line of c.log was removed'")
        try await browser.press("g")
        try await browser.wait("\(told).join() === '350 lines of a.log were removed'")
        // Wherever the run is on the screen, its first row there says so.
        try await browser.evaluate("document.querySelector('#scroll').scrollTop = 340 * 24")
        try await browser.wait("\(told).join() === '350 lines of a.log were removed'")
        try await browser.wait("document.querySelectorAll('.row.gone.more:not([hidden])').length === 9")
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test(
        "The border of a record moves with the keys and the mouse, within bounds, and stays where it was put")
    func movesBorder() async throws {
        let view = try ViewFixture([("a.log", Self.lines(200, hour: 10))])
        let browser = try await Browser(in: view.scratch)
        let open = {
            try await browser.open(view.server.address)
            try await browser.wait("heartwood.state().end - heartwood.state().first === 200")
            try await browser.press("k")
            try await browser.press("Enter")
            try await browser.wait("!document.querySelector('#record').hidden")
        }
        try await open()
        let width = {
            try await browser.evaluate("document.querySelector('#record').offsetWidth") as? Int ?? 0
        }
        let start = try await width()
        try await browser.evaluate("document.querySelector('#divider').focus()")
        try await browser.press("ArrowLeft")
        #expect(try await width() == start + 20)
        let told = "document.querySelector('#divider').getAttribute('aria-valuenow')"
        #expect(try await browser.evaluate(told) as? String == "\(start + 20)")
        try await browser.press("End")
        #expect(try await width() == 300)
        try await browser.press("Home")
        #expect(try await width() == 980)
        try await browser.mouse("mousePressed", 300, 400)
        try await browser.mouse("mouseMoved", 700, 400)
        try await browser.mouse("mouseReleased", 700, 400)
        #expect(try await width() == 580)
        try await open()
        #expect(try await width() == 580)
        // A smaller window bounds it, and a larger one gives it back.
        try await browser.evaluate("document.querySelector('#divider').focus()")
        try await browser.press("Home")
        #expect(try await width() == 980)
        for (window, record) in [(910, 610), (1280, 980)] {
            try await browser.resize(window, 700)
            try await browser.wait("document.querySelector('#record').offsetWidth === \(record)")
        }
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("The heights of the timeline are counts, and errors have a lane where one is seen")
    func timelineIsLinear() async throws {
        let view = try ViewFixture([
            (
                "a.log",
                Self.lines(3600, hour: 10) {
                    $0 == 1700 ? "error" : $0 < 1800 || $0 % 4 == 0 ? "info" : "debug"
                }
            )
        ])
        let browser = try await Browser(in: view.scratch)
        try await browser.prefer("light")
        try await browser.open(view.server.address + "?until=2026-11-20T11:00:00Z")
        try await browser.wait(
            "document.querySelector('#timeline').getAttribute('aria-label').includes(' 3,600 records')")
        // How many pixels of the canvas have a color, in the columns from one part of the width to another.
        func pixels(_ color: String, _ from: Double, _ to: Double) async throws -> Int {
            try await browser.evaluate(
                """
                (() => { const c = document.querySelector('canvas'), w = c.width; let n = 0;
                  const name = getComputedStyle(document.documentElement).getPropertyValue('--bar-\(color)').trim();
                  const want = [1, 3, 5].map(i => parseInt(name.slice(i, i + 2), 16));
                  const copy = document.createElement('canvas'); copy.width = w; copy.height = c.height;
                  const d2 = copy.getContext('2d', { willReadFrequently: true }); d2.drawImage(c, 0, 0);
                  const d = d2.getImageData(w * \(from), 0, w * \(to - from), c.height).data;
                  for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200 && want.every((v, k) => Math.abs(d[i + k] - v) < 24)) n++;
                  return n; })()
                """) as? Int ?? -1
        }
        // A quarter of the second half is information, and looks like it.
        let (info, debug) = (try await pixels("info", 0.51, 1), try await pixels("debug", 0.51, 1))
        #expect(debug > 1000)
        #expect((0.25...0.39).contains(Double(info) / Double(debug)), "\(info) of \(debug)")
        let errors = try await pixels("error", 0, 1)
        #expect((5...60).contains(errors), "\(errors)")
        #expect(browser.complaints == [])
        await browser.close()
    }

    @Test("A regular expression with an anchor is told what it matches; the levels of a phone have numbers")
    func hintsAndChips() async throws {
        let view = try ViewFixture([("a.log", Self.lines(1200, hour: 10))])
        let browser = try await Browser(in: view.scratch)
        for (query, isHinted) in [
            ("?re=1&q=%5Eline", true), ("?re=1&q=ms%3D7$", true), ("?re=1&q=ms%5C$", false),
            ("?q=%5Eline", false),
            ("?re=1&q=line", false),
        ] {
            try await browser.open(view.server.address + query)
            try await browser.wait("document.querySelector('#hint').hidden === \(!isHinted)")
        }
        try await browser.resize(390, 800)
        try await browser.open(view.server.address)
        try await browser.wait("document.querySelector('[data-level=info] span').textContent === '1.2K'")
        let cut = try await browser.evaluate(
            "[...document.querySelectorAll('.level')].filter(b => b.getBoundingClientRect().right > innerWidth).length"
        )
        #expect(cut as? Int == 0)
        #expect(browser.complaints == [])
        await browser.close()
    }
}
#endif
