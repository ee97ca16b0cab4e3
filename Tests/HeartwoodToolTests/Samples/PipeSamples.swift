import Heartwood
import HeartwoodHTTP

// The samples of Docs/Pipe.md; they are compiled, and SampleTests compares them with the document.

private func pipeHost(_ hostName: String) {
    // sample: Docs/Pipe.md
    LogDispatcher.shared.metadata["host"] = .string(hostName)
    // end
}

private func pipeClickHouse() throws {
    // sample: Docs/Pipe.md
    let house = try HTTPLogger(
        "https://clickhouse.example.com:8443/?query=INSERT%20INTO%20logs%20FORMAT%20JSONEachRow"
            + "&date_time_input_format=best_effort&input_format_skip_unknown_fields=1",
        settings: HTTPSettings(encoding: NDJSONEncoding()), spool: "/var/lib/shop/spool")
    house.maximumMessagesPerRequest = 20_000
    house.countThreshold = 20_000
    house.sendInterval = .seconds(5)
    house.compressionLevel = 6
    house.decorators = [
        .basicAuth(user: "shop", password: try EnvironmentSecrets().secret(named: "CLICKHOUSE_PASSWORD"))
    ]
    LogDispatcher.shared.add(house, levels: .info)
    // end
}
