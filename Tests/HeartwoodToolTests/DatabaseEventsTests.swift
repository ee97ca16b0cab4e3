import CSQLite
import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import SuiteSupport
import Testing

struct Account: EventObject {
    var id: Int64
    var balance: Int64
}

struct DatabaseError: Error { let code: Int32 }

/// The accounts of a SQLite database; what is read and changed is recorded in a scope.
struct Accounts {
    let database: OpaquePointer

    func execute(_ statement: String) throws {
        let code = sqlite3_exec(database, statement, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code) }
    }

    func read(in scope: EventScope) throws -> [Account] {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(database, "SELECT id, balance FROM accounts", -1, &statement, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code) }
        defer { sqlite3_finalize(statement) }
        var accounts: [Account] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            accounts.append(
                Account(id: sqlite3_column_int64(statement, 0), balance: sqlite3_column_int64(statement, 1)))
        }
        scope.record(read: accounts)
        return accounts
    }

    func change(in scope: EventScope, _ body: (inout [Account]) throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            var accounts = try read(in: scope)
            try scope.transaction(on: &accounts) { accounts in
                try body(&accounts)
                try execute("DELETE FROM accounts")
                for account in accounts {
                    try execute("INSERT INTO accounts VALUES (\(account.id), \(account.balance))")
                }
                try execute("COMMIT")
            }
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }
}

/// The example above, to which Docs/Events.md links, with a real database.
@Suite("Events of a database", .inTurn) struct DatabaseEventsTests {
    @Test("What a SQLite table reads and writes is recorded; what the database refuses is not")
    func accounts() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-accounts-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        var opened: OpaquePointer?
        #expect(sqlite3_open(":memory:", &opened) == SQLITE_OK)
        let accounts = Accounts(database: try #require(opened))
        defer { sqlite3_close(accounts.database) }
        try accounts.execute(
            "CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER CHECK (balance >= 0))")
        try accounts.execute("INSERT INTO accounts VALUES (1, 100), (2, 50)")
        let store = try EventStore("http://127.0.0.1:1/", directory: path, dispatcher: LogDispatcher())
        store.uploader.isPaused = true
        let scope = try AuditLog(store).beginScope(activity: "transfer")
        try accounts.change(in: scope) { accounts in
            accounts[0].balance -= 30
            accounts[1].balance += 30
        }
        #expect(throws: DatabaseError.self) {
            try accounts.change(in: scope) { $0[0].balance -= 1000 }
        }
        try await scope.commit()
        #expect(try accounts.read(in: AuditLog(store).beginScope(activity: "x")).map(\.balance) == [70, 80])
        store.close()
        var data: [String] = []
        try UnsentMessages(directory: path + "/default/events").forEach { entry in
            if case .string(let text)? = entry.metadata["data"] { data.append(text) }
            return true
        }
        #expect(
            data == [
                #"{"type":"Account","value":[{"id":1,"balance":100},{"id":2,"balance":50}]}"#,
                #"{"Account":{"modifications":[{"oldValue":{"id":1,"balance":100},"newValue":{"balance":70}},"#
                    + #"{"oldValue":{"id":2,"balance":50},"newValue":{"balance":80}}]}}"#,
                #"{"type":"Account","value":[{"id":1,"balance":70},{"id":2,"balance":80}]}"#,
            ])
    }
}
