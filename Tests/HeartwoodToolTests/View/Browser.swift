#if os(Linux)
import Foundation
import Glibc
import HeartwoodTestSupport
import SuiteSupport
import Heartwood
import HeartwoodHTTP
import Testing

/// A headless Chromium with one page, driven over its debugging protocol through two pipes.
///
/// It ends when its pipes do, however the test ends.
final class Browser: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Where Chromium is; nil where it is not installed.
    static let path: String? = {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for name in ["chromium", "chromium-browser", "google-chrome"] {
            for place in places where access("\(place)/\(name)", X_OK) == 0 { return "\(place)/\(name)" }
        }
        print("skipped: tests in a browser need Chromium (apt-get install chromium)")
        return nil
    }()

    private struct State {
        var number = 0
        var session: String?
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        /// What the page has complained of.
        var complaints: [String] = []
        var isEnded = false
    }

    private let process: ChildProcess
    private let input: Int32
    private let output: Int32
    private let state = Locked(State())

    /// Starts it, with its profile in a directory, and opens an empty page.
    init(in scratch: URL) async throws {
        let program = try #require(Browser.path)
        var toBrowser: [Int32] = [0, 0]
        var fromBrowser: [Int32] = [0, 0]
        guard pipe(&toBrowser) == 0, pipe(&fromBrowser) == 0 else { throw Failure(description: "no pipes") }
        for end in toBrowser + fromBrowser { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--window-size=1280,800", "--remote-debugging-pipe",
            "--user-data-dir='\(scratch.path)/browser'",
        ]
        // The protocol is spoken on descriptors 3 and 4.
        let line =
            "exec 3<&0 4>&1; exec '\(program)' \(flags.joined(separator: " ")) >/dev/null 2>&1 </dev/null"
        process = try ChildProcess(
            "/bin/sh", ["-c", line], environment: ["HOME": scratch.path],
            input: .descriptor(toBrowser[0]), output: .descriptor(fromBrowser[1]))
        _ = Glibc.close(toBrowser[0])
        _ = Glibc.close(fromBrowser[1])
        input = toBrowser[1]
        output = fromBrowser[0]
        let (output, state) = (output, state)
        guard DetachedThread.start({ Browser.read(output, state) }) else {
            throw Failure(description: "no thread")
        }
        try await openWindow()
    }

    /// Ends it and waits for that.
    func close() async {
        _ = try? await call("Browser.close")
        _ = Glibc.close(input)
        _ = await process.ended()
        _ = Glibc.close(output)
    }

    /// What the page has complained of: errors, refused requests, violations of its policy.
    var complaints: [String] { state.withLock { $0.complaints } }

    // MARK: What a test does

    /// Opens another window with an empty page, which is used from then on.
    @discardableResult
    func openWindow() async throws -> String {
        let parameters: [String: Any] = ["url": "about:blank", "newWindow": true]
        let target = try await call("Target.createTarget", parameters)["targetId"] as? String ?? ""
        let attached = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])
        let session = attached["sessionId"] as? String ?? ""
        use(session)
        for domain in ["Page", "Runtime", "Log"] { _ = try await call("\(domain).enable") }
        return session
    }

    /// Uses another window from now on.
    func use(_ window: String) { state.withLock { $0.session = window } }

    /// Opens an address and waits for the page's script.
    func open(_ address: String, isPage: Bool = true) async throws {
        _ = try await call("Page.navigate", ["url": address])
        guard isPage else { return try await wait("location.href === '\(address)'") }
        try await wait("window.heartwood && heartwood.state().end - heartwood.state().first >= 0")
    }

    /// Waits, for a minute at most, until an expression is true in the page.
    func wait(_ expression: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let script = """
            new Promise(resolve => { const until = Date.now() + 60000; const look = () => {
              let value = false; try { value = \(expression) } catch (error) { value = false }
              if (value || Date.now() > until) resolve(!!value); else setTimeout(look, 20); }; look(); })
            """
        let isReached = try await evaluate(script) as? Bool == true
        #expect(isReached, "\(expression)", sourceLocation: sourceLocation)
    }

    /// The value of an expression in the page.
    @discardableResult
    func evaluate(_ expression: String) async throws -> Any? {
        let result = try await call(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true])
        if let problem = result["exceptionDetails"] { throw Failure(description: "\(problem)") }
        return (result["result"] as? [String: Any])?["value"]
    }

    /// Presses and releases a key.
    func press(_ key: String) async throws {
        var down: [String: Any] = ["type": "keyDown", "key": key]
        if key.count == 1 { down["text"] = key }
        if key == "J" || key == "K" { down["modifiers"] = 8 }
        if key == "Enter" { (down["text"], down["windowsVirtualKeyCode"]) = ("\r", 13) }
        _ = try await call("Input.dispatchKeyEvent", down)
        _ = try await call("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
    }

    /// Types a text into what has the focus.
    func type(_ text: String) async throws { _ = try await call("Input.insertText", ["text": text]) }

    /// Moves, presses or releases the mouse.
    func mouse(_ kind: String, _ x: Double, _ y: Double) async throws {
        _ = try await call(
            "Input.dispatchMouseEvent",
            [
                "type": kind, "x": x, "y": y, "button": kind == "mouseMoved" ? "none" : "left",
                "clickCount": 1,
                "buttons": kind == "mouseReleased" ? 0 : 1,
            ])
    }

    /// Makes the window as large as this, in CSS pixels.
    func resize(_ width: Int, _ height: Int) async throws {
        _ = try await call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Makes the page light or dark.
    func prefer(_ scheme: String) async throws {
        _ = try await call(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    }

    /// The page as a PNG.
    func screenshot() async throws -> Data {
        let text = try await call("Page.captureScreenshot", ["format": "png"])["data"] as? String ?? ""
        return Data(base64Encoded: text) ?? Data()
    }

    // MARK: The protocol: JSON messages that end with a zero byte

    private func call(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
        let (number, session) = state.withLock { state in
            state.number += 1
            return (state.number, state.session)
        }
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session, !method.hasPrefix("Target."), !method.hasPrefix("Browser.") {
            message["sessionId"] = session
        }
        let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
        let answer = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Data, any Error>) in
            let isEnded = state.withLock { state in
                if !state.isEnded { state.waiting[number] = continuation }
                return state.isEnded
            }
            if isEnded { return continuation.resume(throwing: Failure(description: "the browser has ended")) }
            bytes.withUnsafeBytes { _ = write(input, $0.baseAddress, $0.count) }
        }
        let content = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let problem = content["error"] { throw Failure(description: "\(method): \(problem)") }
        return content["result"] as? [String: Any] ?? [:]
    }

    private static func read(_ descriptor: Int32, _ state: Locked<State>) {
        var pending = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            pending.append(contentsOf: buffer.prefix(count))
            while let end = pending.firstIndex(of: 0) {
                take(Data(pending[pending.startIndex..<end]), state)
                pending = Data(pending[(end + 1)...])
            }
        }
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values {
            continuation.resume(throwing: Failure(description: "the browser has ended"))
        }
    }

    private static func take(_ message: Data, _ state: Locked<State>) {
        guard let content = try? JSONSerialization.jsonObject(with: message) as? [String: Any] else { return }
        if let number = content["id"] as? Int {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
            continuation?.resume(returning: message)
            return
        }
        switch content["method"] as? String {
        case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled",
            "Page.javascriptDialogOpening":
            let text = String(decoding: message.prefix(2000), as: UTF8.self)
            state.withLock { $0.complaints.append(text) }
        default: break
        }
    }
}
#endif
