/// A figure of ``LogStatistics`` in the form that metrics systems take: a counter that only grows.
///
/// Drops are invisible unless they are watched. Pass the figures to your metrics library with
/// ``LogDispatcher/observeMetrics(every:_:)``, or write ``LogStatistics/prometheusText`` where Prometheus
/// reads.
public struct LogMetric: Hashable, Sendable {
    /// What is counted.
    public enum Counter: String, CaseIterable, Sendable {
        /// Messages that calls have logged.
        case accepted = "heartwood_accepted_total"
        /// Messages that the dispatcher dropped, because its ring was full.
        case dropped = "heartwood_dropped_total"
        /// Messages whose level a logger wanted.
        case loggerReceived = "heartwood_logger_received_total"
        /// Messages that a logger has handled.
        case loggerDelivered = "heartwood_logger_delivered_total"
        /// Messages that the formatter or the filter of a logger left out.
        case loggerFiltered = "heartwood_logger_filtered_total"
        /// Messages that a logger dropped, because its backlog was full.
        case loggerDropped = "heartwood_logger_dropped_total"
        /// Messages that a logger could not write.
        case loggerFailed = "heartwood_logger_failed_total"
        /// Bytes that a logger has written.
        case loggerBytes = "heartwood_logger_written_bytes_total"

        /// What is counted, in words.
        public var summary: String {
            Self.ofDispatcher.first { $0.counter == self }?.summary
                ?? Self.ofLoggers.first { $0.counter == self }?.summary ?? ""
        }

        fileprivate typealias Row<Figures> = (
            counter: Counter, figure: any KeyPath<Figures, Int> & Sendable, summary: String
        )
        fileprivate static let ofDispatcher: [Row<LogStatistics>] = [
            (.accepted, \.accepted, "Messages that calls have logged."),
            (.dropped, \.dropped, "Messages that were dropped because the record ring was full."),
        ]
        fileprivate static let ofLoggers: [Row<LoggerStatistics>] = [
            (.loggerReceived, \.received, "Messages whose level the logger wanted."),
            (.loggerDelivered, \.delivered, "Messages that the logger has handled."),
            (.loggerFiltered, \.filtered, "Messages that the logger's formatter or filter left out."),
            (.loggerDropped, \.dropped, "Messages that were dropped because the logger's backlog was full."),
            (.loggerFailed, \.failed, "Messages that the logger could not write."),
            (.loggerBytes, \.bytes, "Bytes that the logger has written."),
        ]
    }

    /// What is counted.
    public let counter: Counter
    /// The name of the logger; nil for a counter of the dispatcher.
    public let logger: String?
    /// The number since the program started.
    public let total: Int
    /// How much it has grown since the figures that it is compared with; ``total`` without such figures, and
    /// never negative.
    public let increase: Int

    /// The name of the counter, as Prometheus has it: `heartwood_logger_dropped_total`.
    public var name: String { counter.rawValue }

    /// Whether it counts messages that are missing in some log.
    public var isLoss: Bool { [.dropped, .loggerDropped, .loggerFailed].contains(counter) }
}

extension LogStatistics {
    /// The figures as counters: those of the dispatcher, then those of each logger, in the order of their
    /// names.
    ///
    /// - Parameter earlier: Earlier figures of the same dispatcher, to compare with; none unless given.
    /// - Returns: The counters.
    public func metrics(since earlier: LogStatistics? = nil) -> [LogMetric] {
        func metrics<Figures>(
            _ rows: [LogMetric.Counter.Row<Figures>], _ logger: String?, _ now: Figures, _ before: Figures?
        ) -> [LogMetric] {
            rows.map { row in
                let total = now[keyPath: row.figure]
                let increase = max(0, total - (before?[keyPath: row.figure] ?? 0))
                return LogMetric(counter: row.counter, logger: logger, total: total, increase: increase)
            }
        }
        return loggers.sorted { $0.key < $1.key }.reduce(
            metrics(LogMetric.Counter.ofDispatcher, nil, self, earlier)
        ) {
            $0 + metrics(LogMetric.Counter.ofLoggers, $1.key, $1.value, earlier?.loggers[$1.key])
        }
    }

    /// The figures in the text format of Prometheus, for the page that it reads, or for a file of its node
    /// exporter.
    ///
    ///     # HELP heartwood_logger_dropped_total Messages that were dropped because the backlog …
    ///     # TYPE heartwood_logger_dropped_total counter
    ///     heartwood_logger_dropped_total{logger="file"} 0
    public var prometheusText: String {
        let metrics = metrics()
        var text = ""
        for counter in LogMetric.Counter.allCases {
            let rows = metrics.filter { $0.counter == counter }
            if rows.isEmpty { continue }
            text += "# HELP \(counter.rawValue) \(counter.summary)\n# TYPE \(counter.rawValue) counter\n"
            for row in rows {
                text += row.name
                if let logger = row.logger { text += "{logger=\"\(LogStatistics.escaped(logger))\"}" }
                text += " \(row.total)\n"
            }
        }
        return text
    }

    /// A label's value: a backslash, a quotation mark and a line feed have a backslash in front.
    private static func escaped(_ label: String) -> String {
        var text = ""
        for character in label.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
