import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct FilteringRedactionTests {
    @Test("What a logger's rules find is hidden behind a filter and in a chain, whoever made the formatter")
    func redaction() {
        final class Plain: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? { "plain: \(message.text)" }
        }
        let formatters: [LogFormatter] = [
            Plain(), FilteringFormatter(.everything, Plain()), FormatterChain([Plain()]),
            FormatterChain([LineFormatter(), Plain()]),
            FilteringFormatter(.everything, FormatterChain([Plain(), Plain()])),
            FilteringFormatter(.everything, LineFormatter()),
        ]
        for formatter in formatters {
            let dispatcher = LogDispatcher.forTest()
            let logger = RecordingLogger(formatter: formatter)
            logger.redaction = .standard
            dispatcher.add(logger)
            logInfo("mail to ann@example.org", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.lines.count == 1)
            #expect(logger.lines.allSatisfy { $0.contains("<email>") && !$0.contains("example.org") })
        }
    }
}
