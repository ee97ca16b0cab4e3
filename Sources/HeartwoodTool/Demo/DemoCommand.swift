import Heartwood
import HeartwoodEvents
import HeartwoodHTTP

/// `heartwood demo`: the framework at work, in a few seconds.
enum DemoCommand: Subcommand {
    static let name = "demo"
    static let summary =
        "Shows the framework in a few seconds: console, files, HTTP, events, and what arrived where."
    static let operands = ""
    static let options = [
        OptionGroup(
            title: "Options",
            options: [
                Option(
                    "--directory", "-d", value: "DIR",
                    help: "Where the files go; a new temporary directory by default. It is not removed."),
                Option(
                    "--seconds", value: "COUNT",
                    help: "How long the demo shop is open, 1 to 60 seconds; 3 by default."),
            ])
    ]
    static let details = """
        A small shop with three tills logs at all levels, from three threads:

          console   info and more severe, in color; private data is shown at a terminal only
          files     everything, in files of 32 KiB and then 16 KiB, as the limit is changed while the shop
                    is open
          http      notice and more severe, as JSON, to a local collector that answers 503 at first
          events    each sale, and the change in stock as an activity, kept in files until another
                    collector has them

        At the end, the demo reads everything back, counts it, and compares it with what was logged.

        Exit codes: 0, everything arrived; 1, something is missing, and standard error says what; 2, invalid
        arguments.
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let seconds = try arguments.integer("--seconds", atLeast: 1) ?? 3
        guard seconds <= 60 else { throw UsageError("--seconds must be at most 60 (got \(seconds))") }
        let directory =
            try arguments.value("--directory")
            ?? SystemCalls.makeTemporaryDirectory("heartwood-demo.", or: "; name one with --directory").path

        let collector = try DemoCollector(rejecting: 1)
        let console = ConsoleLogger(.standardOutput)
        var settings = FileSettings(naming: LogFileNaming(application: "shop"))
        settings.maximumFileSize = .kibibytes(32)
        settings.reusesFiles = false  // what is counted below is what this run has written
        settings.maximumFileCount = nil
        let file = try FileLogger(directory: directory, settings: settings, name: "files")
        let http = try HTTPLogger(collector.address + "/logs", name: "http")
        http.sendInterval = .seconds(1)
        let dispatcher = LogDispatcher.shared
        dispatcher.add(console, levels: .info)
        dispatcher.add(file)
        dispatcher.add(http, levels: .notice)
        let archive = try DemoCollector()
        let store = try EventStore(archive.address, directory: directory + "/events")
        let books = try ShopBooks(store)
        let earlier = try file.logFiles().map(\.name)

        let tally = Shop(openFor: .seconds(seconds), books: books).open {
            file.maximumFileSize = .kibibytes(16)
        }
        try books.close()

        dispatcher.flush()
        let isDelivered = http.deliver(timeout: .seconds(10)) && store.uploader.deliver(timeout: .seconds(10))
        let files = try file.logFiles().filter { !earlier.contains($0.name) }
        let report = try DemoReport(
            tally: tally, console: console.statistics, files: files,
            http: collector.content, events: archive.content, eventCount: books.count,
            undelivered: isDelivered ? nil : http.httpStatistics.lastError ?? "no answer in time")
        dispatcher.removeAll()
        collector.stop()
        Terminal.output.write(report.text)
        if let missing = report.missing { Terminal.error.write("heartwood demo: \(missing)\n") }
        return report.missing == nil ? .success : .failure
    }
}
