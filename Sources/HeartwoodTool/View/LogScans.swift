import Heartwood

/// The scans that pages use, one for each filter; those that were not used for longest are ended.
final class LogScans: Sendable {
    /// How many scans are kept.
    private static let limit = 8

    let store: LogStore
    private let paths: [String]
    private let scans = Locked<[LogScan]>([])

    init(_ store: LogStore, paths: [String]) {
        self.store = store
        self.paths = paths
    }

    /// The scan for a filter, which goes on looking.
    ///
    /// - Throws: ``UsageError`` where the filter is not valid.
    func scan(_ filter: ViewFilter) throws -> LogScan {
        let (scan, ended) = try scans.withLock { scans -> (LogScan, LogScan?) in
            if let index = scans.firstIndex(where: { $0.filter == filter }) {
                let scan = scans.remove(at: index)
                scans.append(scan)
                return (scan, nil)
            }
            let scan = try LogScan(filter, store: store, paths: paths)
            scans.append(scan)
            return (scan, scans.count > LogScans.limit ? scans.removeFirst() : nil)
        }
        ended?.cancel()
        scan.wake()
        return scan
    }
}
