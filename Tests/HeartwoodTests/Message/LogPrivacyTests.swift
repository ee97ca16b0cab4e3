import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Privacy", .inTurn)
struct LogPrivacyTests {
    @Test("A private value is shown to who may read it, and hidden or hashed elsewhere")
    func policies() {
        let message = LogMessage(
            "\("ann@example.org", as: "mail", privacy: .private) and \(42, privacy: .privateHashed)")
        #expect(message.text.hasPrefix("<private> and <hash:"))
        #expect(message.text(privacy: .reveal) == "ann@example.org and 42")
        #expect(!message.text(privacy: .hash).contains("ann"))
        #expect(message.fields == ["mail": "<private>"])
        #expect(message.fields(privacy: .reveal) == ["mail": "ann@example.org"])
    }

    @Test("Equal values have equal hashes, others have others")
    func hashes() {
        func hash(_ value: String) -> String { LogMessage("\(value, privacy: .privateHashed)").text }
        #expect(hash("a") == hash("a"))
        #expect(hash("a") != hash("b"))
        #expect(hash("a").count == "<hash:0123456789abcdef>".count)
    }

    @Test("Every kind of value can be private, and does not show in any formatter that may not show it")
    func everyKind() {
        let secret = "s3cr3t-1234567"
        let number = 1_234_567_891
        let message = LogMessage(
            """
            \(secret, as: "a", privacy: .private) \(secret.prefix(14), as: "b", privacy: .private) \
            \(number, as: "c", privacy: .private) \(Double(number), as: "d", privacy: .private) \
            \(number as Any, as: "e", privacy: .private) \([secret], as: "f", privacy: .private) \
            \(secret as String?, as: "g", privacy: .private) \(URL(string: "http://\(secret)") as URL?, privacy: .private) \
            \(LogValue.string(secret), as: "h", privacy: .private) \(Decimal(number), privacy: .private) \
            \(secret as String?, default: secret, as: "i", privacy: .privateHashed)
            """)
        for formatter in [LineFormatter(), JSONLinesFormatter()] as [LogFormatter] {
            let line = formatter.format(message) ?? ""
            #expect(!line.contains("s3cr3t"))
            #expect(!line.contains("1234567"))
        }
        #expect(message.text(privacy: .reveal).contains(secret))
    }

    @Test("A sensitive value is never copied: not into the message, not into the ring")
    func sensitive() {
        let needle = "never-\(UUID().uuidString)"
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        logInfo("card \(needle, privacy: .sensitive)", to: dispatcher)
        logInfo(
            "card \(needle, as: "card", privacy: .sensitive) \(needle as String?, privacy: .sensitive)",
            to: dispatcher)
        logInfo(
            "\([needle], as: "list", privacy: .sensitive) \(needle as Any, privacy: .sensitive)",
            to: dispatcher)
        logInfo("\(12_345_678_901, privacy: .sensitive) \(1.5, privacy: .sensitive)", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        for message in logger.messages {
            let record = UnsafeRawBufferPointer(
                start: message.storage.bytes, count: 64 + message.storage.textSize)
            #expect(!contains(record, Array(needle.utf8)))
            #expect(message.text(privacy: .reveal).contains("<sensitive>"))
            #expect(!message.text(privacy: .reveal).contains("12345678901"))
            #expect(!(JSONLinesFormatter(.revealing).format(message) ?? needle).contains(needle))
        }
        let ring = UnsafeRawBufferPointer(
            start: dispatcher.ring.address(of: 0), count: dispatcher.ring.capacity)
        #expect(!contains(ring, Array(needle.utf8)))
        let buffer = ThreadState.current.takeBuffer()
        #expect(
            !contains(UnsafeRawBufferPointer(start: buffer.base, count: buffer.capacity), Array(needle.utf8)))
        #expect(logger.messages[1].fields == ["card": "<sensitive>"])
    }

    private func contains(_ bytes: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(needle)) != nil
    }
}

extension JSONLinesFormatter.Options {
    fileprivate static var revealing: JSONLinesFormatter.Options {
        var options = JSONLinesFormatter.Options()
        options.privacy = .reveal
        return options
    }
}
