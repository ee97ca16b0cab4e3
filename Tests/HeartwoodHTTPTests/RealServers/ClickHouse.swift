#if os(Linux)
import Foundation
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// A ClickHouse server with a directory and ports of its own.
final class ClickHouse {
    let port: Int
    private(set) var version = ""
    private let directory: TemporaryDirectory
    private let program: RealProgram

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Starts it; nil, with the reason printed, if it is not installed.
    init?() async throws {
        let arguments: [String]
        let path: String
        if let server = RealProgram.find("clickhouse-server") {
            (path, arguments) = (server, [])
        } else if let program = RealProgram.find("clickhouse") {
            (path, arguments) = (program, ["server"])
        } else {
            return nil
        }
        directory = try TemporaryDirectory()
        let ports = RealProgram.freePorts(3)
        port = ports[0]
        let place = directory.path
        // `yandex` is the name that all versions know.
        try directory.write(
            "config.xml",
            Array(
                """
                <yandex>
                <logger><level>warning</level><log>\(place)/log</log><errorlog>\(place)/errors</errorlog></logger>
                <http_port>\(ports[0])</http_port><tcp_port>\(ports[1])</tcp_port>
                <interserver_http_port>\(ports[2])</interserver_http_port>
                <listen_host>127.0.0.1</listen_host><timezone>UTC</timezone>
                <path>\(place)/data/</path><tmp_path>\(place)/data/tmp/</tmp_path>
                <user_files_path>\(place)/data/files/</user_files_path>
                <mark_cache_size>67108864</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
                <users_config>users.xml</users_config>
                <default_profile>default</default_profile><default_database>default</default_database>
                </yandex>
                """.utf8))
        try directory.write(
            "users.xml",
            Array(
                """
                <yandex><profiles><default></default></profiles><users><default><password></password>
                <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
                <quotas><default></default></quotas></yandex>
                """.utf8))
        try FileManager.default.createDirectory(atPath: place + "/data", withIntermediateDirectories: true)
        program = try RealProgram(
            path, arguments + ["--config-file=\(place)/config.xml"], in: place, listeningOn: port)
        version = try await query("SELECT version()").trimmingCharacters(in: .newlines)
    }

    deinit { stop() }

    func stop() { program.stop() }

    /// The first number of the version.
    var mainVersion: Int { Int(version.prefix { $0.isNumber }) ?? 0 }

    /// The address that JSON lines go to, as the documents have it.
    var insertion: String {
        "http://127.0.0.1:\(port)/?query=INSERT%20INTO%20logs%20FORMAT%20JSONEachRow"
            + "&date_time_input_format=best_effort&input_format_skip_unknown_fields=1"
    }

    /// Runs a statement; its answer, with tabs between columns.
    @discardableResult
    func query(_ statement: String) async throws -> String {
        let endpoint = try HTTPEndpoint("http://127.0.0.1:\(port)/")
        let request = HTTPRequest(
            endpoint: endpoint, body: Array(statement.utf8), timeout: .seconds(120))
        let response = try await CurlTransport().send(request)
        guard response.status == 200 else { throw Failure(description: response.text) }
        if response.isBodyCut { throw Failure(description: "the answer to “\(statement)” is too long") }
        return response.text
    }

    /// How many rows a query has.
    func rows(_ statement: String) async throws -> Int? {
        Int(try await query("SELECT count() FROM (\(statement))").trimmingCharacters(in: .newlines))
    }

    /// Runs a query of two columns, a name and a number.
    func counts(_ statement: String) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try await query(statement).split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 2, let number = Int(columns[1]) else {
                throw Failure(description: "not a name and a number: \(line)")
            }
            counts[String(columns[0])] = number
        }
        return counts
    }
}
#endif
