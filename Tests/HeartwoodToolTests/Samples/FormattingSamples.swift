import Heartwood
import HeartwoodArchive

// The code of Docs/Formatting.md and Docs/Filtering.md and of the comments there, word for word; `SampleTests` compares
// them.

private func formattingPageFirst(_ file: FileLogger, _ console: ConsoleLogger) throws {
    // sample: Docs/Formatting.md
    file.formatter = JSONLinesFormatter(.ecs(service: "shop"))
    console.formatter = try PatternFormatter("{time:HH:mm:ss} {color}{LEVEL:<7}{reset} {message}{fields}")
    // end
}

private func formattingPagePattern(_ console: ConsoleLogger) throws {
    // sample: Docs/Formatting.md
    var options = PatternFormatter.Options()
    options.zone = .local
    options.threadLabel = ThreadLabel(minimumLength: 10, maximumLength: 20)
    options.threadLabel.replacements["org.example.shop.network"] = "net"
    console.formatter = try PatternFormatter("{time:HH:mm:ss} [{thread}] {levelLetter} {message}", options)
    // end
}

private func formattingPageLayouts(_ file: FileLogger, _ console: ConsoleLogger) throws {
    // sample: Docs/Formatting.md
    file.formatter = PatternFormatter.cocoaLumberjackFile()
    console.formatter = PatternFormatter.cocoaLumberjackConsole()
    console.formatter = PatternFormatter.dispatchQueue(label: ThreadLabel(maximumLength: 12))
    console.formatter = try LogFormatter.swiftyBeaver("$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M")
    // end
}

private func formattingPageJson(_ file: FileLogger) {
    // sample: Docs/Formatting.md
    var json = JSONLinesFormatter.Options()
    json.members = [.time("@t"), .level("@l", .upperName), .message("@m"), .constant("app", "x"), .fields]
    json.fields = .inObject("context")
    file.formatter = JSONLinesFormatter(json)
    // end
}

private struct Card {}
private func charge(_ card: Card) throws {}

private func formattingPageErrors(_ card: Card, _ order: Int) {
    // sample: Docs/Formatting.md
    do {
        try charge(card)
    } catch {
        logError("payment failed", error: error, metadata: ["order": order])
    }
    // end
}

private func formattingPageFields(_ name: String, _ attempts: Int) {
    // sample: Docs/Formatting.md
    logInfo("signed in", metadata: ["name": name, "attempts": attempts])
    // end
}

private func formattingPageTraces(_ header: String) {
    // sample: Docs/Formatting.md
    let trace = LogTrace(traceparent: header)?.child() ?? .random()
    withLogTrace(trace) {
        logInfo("order accepted")
    }
    // end
}

private func formattingPagePrivacy(_ file: FileLogger) throws {
    // sample: Docs/Formatting.md
    let key = try PrivacyKey(EnvironmentSecrets().secret(named: "LOG_PRIVACY_KEY"))
    var options = LineFormatter.Options()
    options.privacy = .encrypt(key)
    file.formatter = LineFormatter(options)
    // end
}

private func formattingPageSecrets(_ file: FileLogger, _ key: PrivacyKey) throws {
    // sample: Docs/Formatting.md
    file.redaction = .standard  // passwords, tokens, keys, cards, accounts, email addresses
    file.redaction = RedactionRules(
        [.keys, .bearerTokens, .tokens(startingWith: "acme_"), try .matching("user-[0-9]+", name: "user")],
        replacement: .keyedHash(key))
    file.redaction = RedactionRules([
        .keys(RedactionRule.standardKeys + ["door code"], except: ["page token"])
    ])
    // end
}

private func formattingPageDates(_ moment: LogTimestamp) {
    // sample: Docs/Formatting.md
    let text = LogDateStyle.rfc822.string(from: moment)  // Thu, 09 May 2002 15:21:00 GMT
    let back = LogDateStyle.rfc822.timestamp(from: text)
    // end
    _ = back
}

private func filteringPageCategories() {
    // sample: Docs/Filtering.md
    LogCategory("net").levels = .warning  // and of net.http, net.http.body …
    LogCategory("net.http").levels = .debug
    LogCategory("net.http").inheritLevels()
    LogCategory.setLevels(.verbose, matching: "net.*")
    LogCategory.setLevels(nil, matching: "net.*")
    for category in LogCategory.all { print(category.name, category.levels) }
    // end
}

private func filteringPageSources() {
    // sample: Docs/Filtering.md
    LogSourceLevels.set(.verbose, matching: "Shop/Cart.swift")
    LogSourceLevels.set(.error, matching: "ThirdParty")
    LogSourceLevels.rules = []
    // end
}

private func filteringPageFilters(_ file: FileLogger, _ console: ConsoleLogger) {
    // sample: Docs/Filtering.md
    file.filter = .levels(.warning) || (.category("net.*") && !.message(.contains("heartbeat")))
    console.filter = .contexts(except: 7) && .metadata("tenant", "acme")
    console.filter = LogFilter { $0.line % 2 == 0 }
    file.formatter = FilteringFormatter(.file(.starts(with: "Shop/")), LineFormatter())
    // end
}

private func filteringPageAmounts(_ file: FileLogger, _ console: ConsoleLogger) {
    // sample: Docs/Filtering.md
    let counters = FilterCounters()
    file.filter = (.levels(.warning) || .sampling(0.01, by: .field("request"))).counted(by: counters)
    console.filter = .rateLimit(10, per: .seconds(1), burst: 50)
    print(counters.passed, counters.filtered)
    // end
}

private func filteringPageRepeats(_ console: ConsoleLogger) {
    // sample: Docs/Filtering.md
    console.duplicateSuppression = DuplicateSuppression()
    // end
}

private func filteringPageSwiftyBeaver(_ file: FileLogger) {
    // sample: Docs/Filtering.md
    file.filter = .swiftyBeaver(
        [
            SwiftyBeaverFilter(.message, .contains("HTTP", ignoringCase: true), minimumLevel: .warning),
            SwiftyBeaverFilter(.path, .ends(with: "Cache.swift"), role: .excluding),
        ], minimumLevel: .info)
    // end
}

private func patternFormatterSample() throws {
    // sample: Sources/Heartwood/Formatters/Pattern/PatternFormatter.swift
    let formatter = try PatternFormatter("{time:HH:mm:ss.SSS} {color}{LEVEL:<7}{reset} {message}{fields}")
    // end
    _ = formatter
}

private func swiftyBeaverFormatSample(_ console: ConsoleLogger) throws {
    // sample: Sources/Heartwood/Formatters/Pattern/SwiftyBeaverFormat.swift
    console.formatter = try LogFormatter.swiftyBeaver("$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M")
    // end
}

private func logDateStyleSample(_ moment: LogTimestamp) {
    // sample: Sources/Heartwood/Formatters/Dates/LogDateStyle.swift
    let text = LogDateStyle.rfc822.string(from: moment)  // Thu, 09 May 2002 15:21:00 GMT
    let back = LogDateStyle.rfc822.timestamp(from: text)
    // end
    _ = back
}

private func jsonLinesFormatterSample() {
    // sample: Sources/Heartwood/Formatters/JSON/JSONLinesFormatter.swift
    let elastic = JSONLinesFormatter(.ecs(service: "shop"))
    let graylog = JSONLinesFormatter(.gelf())
    // end
    _ = elastic
    _ = graylog
}

private func jsonMemberSample() {
    // sample: Sources/Heartwood/Formatters/JSON/JSONMember.swift
    var options = JSONLinesFormatter.Options()
    options.members = [.time("@t"), .level("@l"), .message("@m"), .constant("app", "shop"), .fields]
    // end
    _ = options
}

private func formatterChainSample(_ file: FileLogger) {
    // sample: Sources/Heartwood/Formatters/FormatterChain.swift
    file.formatter = FormatterChain([shout, JSONLinesFormatter()])
    // end
}

private func filteringFormatterSample(_ file: FileLogger) {
    // sample: Sources/Heartwood/Filters/FilteringFormatter.swift
    file.formatter = FilteringFormatter(.category("net.*"), LineFormatter())
    // end
}

private func privacyKeySample(_ file: FileLogger) throws {
    // sample: Sources/Heartwood/Message/Redaction/PrivacyKey.swift
    let key = try PrivacyKey(EnvironmentSecrets().secret(named: "LOG_PRIVACY_KEY"))
    var options = LineFormatter.Options()
    options.privacy = .encrypt(key)
    file.formatter = LineFormatter(options)
    // end
}

private func redactionRulesSample(_ file: FileLogger, _ key: PrivacyKey) {
    // sample: Sources/Heartwood/Message/Redaction/RedactionRules.swift
    file.redaction = .standard
    file.redaction = RedactionRules([.tokens(startingWith: "sk_live_")], replacement: .keyedHash(key))
    // end
}

private func logTextMatchSample(_ logger: AbstractLogger) {
    // sample: Sources/Heartwood/Filters/LogTextMatch.swift
    logger.filter = .message(.contains("timeout", "refused")) && !.file(.ends(with: "Tests.swift"))
    // end
}

private func logFilterSample(_ file: FileLogger, _ console: ConsoleLogger) {
    // sample: Sources/Heartwood/Filters/LogFilter.swift
    file.filter = .levels(.warning) || (.category("net.*") && !.message(.contains("heartbeat")))
    console.filter = .rateLimit(10, per: .seconds(1)) && .contexts(except: 7)
    // end
}

private func logFilterSampleMore(_ file: FileLogger) {
    // sample: Sources/Heartwood/Filters/LogFilter.swift
    let counters = FilterCounters()
    file.filter = .levels(.error) || .sampling(0.01, by: .field("request")).counted(by: counters)
    // end
}

private func duplicateSuppressionSample(_ console: ConsoleLogger) {
    // sample: Sources/Heartwood/Filters/DuplicateSuppression.swift
    console.duplicateSuppression = DuplicateSuppression()
    // end
}

private func swiftyBeaverFilterSample(_ file: FileLogger) {
    // sample: Sources/Heartwood/Filters/SwiftyBeaverFilter.swift
    file.filter = .swiftyBeaver(
        [
            SwiftyBeaverFilter(.message, .contains("HTTP", ignoringCase: true), minimumLevel: .warning),
            SwiftyBeaverFilter(.path, .ends(with: "Cache.swift"), role: .excluding),
        ], minimumLevel: .info)
    // end
}

private func logSourceLevelsSample() {
    // sample: Sources/Heartwood/Message/LogSourceLevels.swift
    LogSourceLevels.set(.verbose, matching: "Shop/Cart.swift")
    LogSourceLevels.set(.error, matching: "ThirdParty")  // a module
    LogSourceLevels.rules = []
    // end
}
