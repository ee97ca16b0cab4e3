import Heartwood

extension PartitionedSpool {
    /// Opens a store that exists, for other purposes than writing events.
    convenience init(existing path: String) throws {
        let clock = SystemClock()
        try self.init(
            path: path, partitionSize: .mebibytes(256), settings: SpoolSettings(), clock: clock
        ) { newest in PartitionName.fresh(after: newest, at: clock.now()) }
    }

    /// Whether the directory is a store of this kind, and no single spool.
    static func isStore(_ path: String) throws -> Bool {
        let directory = try SpoolDirectory(path: path)
        let files = Set((directory.list() ?? []).map(\.name))
        guard !files.contains("cursor"), !files.contains(where: { $0.hasSuffix(".seg") }) else {
            return false
        }
        return files.contains("device.json")
            || directory.subdirectories()?.contains(where: PartitionName.isValid) == true
    }
}
