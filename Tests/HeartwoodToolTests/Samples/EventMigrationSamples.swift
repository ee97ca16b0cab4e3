import Foundation
import Heartwood
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP

// The code of Docs/MigratingFromOthers.md, word for word.

private func beaverBasics(_ amount: Double) throws {
    // sample: Docs/MigratingFromOthers.md
    let console = ConsoleLogger()  // let console = ConsoleDestination()
    console.formatter = try LogFormatter.swiftyBeaver("$DHH:mm:ss$d $L $M")  // console.format = "…"
    LogDispatcher.shared.add(console, levels: .debug)  // minLevel = .debug; addDestination

    let naming = try LogFileNaming(template: "{app} {date}.log", activeName: "shop.log")
    let file = try FileLogger(  // file.logFileURL = …
        directory: "/var/log/shop", settings: FileSettings(naming: naming))
    file.maximumFileSize = .mebibytes(5)  // file.logFileMaxSize = 5 * 1024 * 1024
    file.maximumFileCount = 3  // file.logFileAmount = 3
    LogDispatcher.shared.add(file)  // log.addDestination(file)

    // log.info("paid \(amount)", context: ["order": 17])
    logInfo("paid \(amount)", metadata: ["order": 17])
    LogDispatcher.shared.flush(timeout: .seconds(3))  // log.flush(secondTimeout: 3)
    // end
}

private func beaverFilters(_ file: FileLogger) {
    // sample: Docs/MigratingFromOthers.md
    file.filter = .swiftyBeaver(
        [
            // Filters.Path.contains("Network", minLevel: .info)
            SwiftyBeaverFilter(.path, .contains("Network", ignoringCase: true), minimumLevel: .info),
            // Filters.Function.excludes("password", required: true)
            SwiftyBeaverFilter(.function, .contains("password", ignoringCase: true), role: .excluding),
        ], minimumLevel: .warning)
    // end
}

// sample: Docs/MigratingFromOthers.md
// enum Property: String, ScroogePropertyType { case page_id, index, os_version, loggedIn, detail }
enum VisitProperty: String { case page_id, index, os_version, loggedIn, detail }
enum VisitDetail: String { case battery, networks }
// end

private func scroogeStore() throws {
    // sample: Docs/MigratingFromOthers.md
    // var configuration = ScroogeConfiguration(fileName: "visits")
    // let api = ScroogeAPI(urlString: "https://example.com/logs")
    let store = try EventStore(
        "https://example.com/logs", directory: "/var/lib/shop/visits",
        settings: EventSettings(encoding: EventEncoding(wrappingKey: "root")),  // api.wrappingKey = "root"
        connectivity: PlatformConnectivity())
    store.uploader.sendInterval = .seconds(30)  // configuration.timeInterval = 30
    store.uploader.backgroundInterval = .seconds(120)  // configuration.timeIntervalOnBackground = 120
    store.uploader.maximumMessagesPerRequest = 100  // configuration.limitedSendingCount = 100
    store.uploader.requestTimeout = .seconds(10)  // configuration.apiTimeout = 10
    store.uploader.saveDelay = .milliseconds(500)  // saves are delayed there, too
    store.uploader.transcript = { print($0) }  // configuration.verbose = .enabled(domain: "visits")

    // api.headerFiledBuilder = { $0.setValue("\(Date())", forHTTPHeaderField: "X-Sent-At") }
    store.uploader.decorators = [RequestDecorator { $0.with(header: "X-Sent-At", "\(Date.now)") }]

    let visits = try EventLog<VisitProperty>(store)  // Scrooge<Property>.shared
    // end
    _ = visits
}

private func scroogeAppend(_ visits: EventLog<VisitProperty>) {
    // sample: Docs/MigratingFromOthers.md
    visits.append {  // client.append { log in
        $0[.page_id] = "/home"  // log[.page_id] = "/home"
        $0[.index] = 3  // log[.index] = 3
        $0[.loggedIn] = true
        $0[.detail] = EventRecord<VisitDetail> {  // detailLog.nestedLog
            $0[.battery] = 0.83
            $0[.networks] = ["wifi", "vpn"]
        }
    }
    // end
}

private func scroogeFields(
    _ record: inout EventRecord<VisitProperty>, _ count: Int, _ dictionary: [String: Any]
) throws {
    // sample: Docs/MigratingFromOthers.md
    record[.detail] = ["battery": 0.83, "network": "wifi", "count": count]
    record[.detail] = try LogMetadata(checking: dictionary)  // an error with the path of the value
    // end
}

private func realmStore() throws {
    // sample: Docs/MigratingFromOthers.md
    // var configuration = Realm.Configuration.defaultConfiguration
    // configuration.eventConfiguration = EventConfiguration(metadata: ["till": "3"], partitionPrefix: "audit",
    //     errorHandler: { error in … })
    var settings = EventSettings(user: "anna", prefix: "audit")
    settings.errorHandler = { error in logError("not audited: \(error)") }
    let store = try EventStore(
        "https://collector.example.com/events", directory: "/var/lib/shop/events", settings: settings)
    let events = try AuditLog(store, metadata: ["till": "3"])  // let events = realm.events!
    // end
    _ = events
}

// sample: Docs/MigratingFromOthers.md
// class Person: Object { @Persisted(primaryKey: true) var _id: ObjectId; @Persisted var name: String }
struct Employee: EventObject {
    var id: Int
    var name: String
    var manager: Manager?  // a link: its id, unless it is expanded
}
struct Manager: EventObject {
    var id: Int
    var name: String
}
// end

private func realmScope(_ events: AuditLog, _ employees: inout [Employee]) async throws {
    // sample: Docs/MigratingFromOthers.md
    let scope = events.beginScope(activity: "change of name")  // the same there
    scope.record(read: employees)  // realm.objects(Employee.self), read
    scope.transaction(on: &employees) { employees in  // try realm.write {
        employees[0].name = "Tony"  // employee.name = "Tony"
    }
    try await scope.commit()  // scope.commit { error in … }

    // events.recordEvent(activity: "login", eventType: "failure", data: "third attempt")
    events.recordEvent(activity: "login", eventType: "failure", data: "third attempt")
    try events.updateMetadata(["till": "4"])  // events.updateMetadata(["till": "4"])
    // end
}

private func realmLinks(_ scope: EventScope, _ employees: [Employee]) {
    // sample: Docs/MigratingFromOthers.md
    scope.record(read: employees, expanding: ["manager"])
    // end
}

private func girdersCalls(_ amount: Double, _ id: Int) {
    // sample: Docs/MigratingFromOthers.md
    // Log.info("paid \(amount)")
    logInfo("paid \(amount)")
    logError("payment \(id) failed")  // Log.error("payment \(id) failed")
    // end
}

private func girdersLevel() throws {
    // sample: Docs/MigratingFromOthers.md
    LogDispatcher.shared.add(ConsoleLogger())  // made at the first message there
    try LogConfiguration.girders("Configuration.plist", environment: "dev").apply()
    // end
}

private func girdersComment() throws {
    // sample: Sources/HeartwoodConfiguration/Reading/LogConfiguration+Girders.swift
    try LogConfiguration.girders("Configuration.plist", environment: "dev").apply()
    // end
}

private func girdersRequests(_ remote: HTTPLogger, _ secrets: EnvironmentSecrets) {
    // sample: Docs/MigratingFromOthers.md
    // request(withMethod: .post) |> withJsonSupport |> withBasicAuth
    remote.decorators = [
        .header("Accept", "application/json"),
        .basicAuth(user: "anna", passwordNamed: "PASSWORD", from: secrets),
    ]
    // end
}

// sample: Docs/MigratingFromOthers.md
enum Log {
    static func verbose(_ message: @autoclosure () -> String) { logVerbose(message()) }
    static func debug(_ message: @autoclosure () -> String) { logDebug(message()) }
    static func info(_ message: @autoclosure () -> String) { logInfo(message()) }
    static func warning(_ message: @autoclosure () -> String) { logWarning(message()) }
    static func error(_ message: @autoclosure () -> String) { logError(message()) }
    static func fatal(_ message: @autoclosure () -> String) { logFatal(message()) }
}
// end
