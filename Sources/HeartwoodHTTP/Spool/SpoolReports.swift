import Heartwood

/// What went wrong with the files of a spool: errors for people, and counts.
final class SpoolReports {
    /// How many errors are kept until they are asked for.
    private static let limit = 100

    private let path: String
    private var errors: [LogError] = []
    /// Damage and failed system calls.
    private(set) var counters = SpoolCounters()
    /// How many of the damaged records were taken off the pending ones.
    private(set) var settled = 0

    /// Makes it for the spool in a directory.
    init(path: String) { self.path = path }

    // MARK: Errors

    /// Reports a system call that failed.
    func fail(_ message: String, _ name: String, _ error: Int32) {
        counters.failures += 1
        keep(LogError(.file, message, place: path + "/" + name, cause: error))
    }

    func report(_ code: LogError.Code, _ message: String, _ name: String) {
        keep(LogError(code, message, place: path + "/" + name))
    }

    private func keep(_ error: LogError) {
        if errors.count < Self.limit { errors.append(error) }
    }

    /// The reason of the last error.
    var lastCause: Int32? { errors.last?.cause }

    /// What was reported since the last call.
    func drain() -> [LogError] {
        defer { errors = [] }
        return errors
    }

    // MARK: Damage

    func countDamaged(records: Int) { counters.damagedRecords += records }
    func countDamaged(bytes: Int) { counters.damagedBytes += bytes }
    func countTorn(bytes: Int) { counters.tornBytes += bytes }

    /// How many damaged records were found that are not settled.
    var unsettled: Int { counters.damagedRecords - settled }

    /// Corrects the count of damaged records to what can be taken off the pending ones.
    ///
    /// - Parameters:
    ///   - found: How many more records are damaged; less than zero if earlier counts were too high.
    ///   - pending: How many records are pending.
    /// - Returns: how many to take off.
    func settle(_ found: Int, pending: Int) -> Int {
        let count = min(found, pending)
        settled += count
        counters.damagedRecords = settled
        return count
    }

    /// Takes the damage that was found so far as settled: none of it was counted as pending.
    func settleAll() { settled = counters.damagedRecords }
}
