import CoreFixtures
import Foundation
import Heartwood

@testable import HeartwoodHTTP

/// Where the processes of a world keep their messages: the directory of a spool, or of an event store.
struct SimulatedPlace {
    /// Whether it is an event store and no HTTP logger.
    let isPartitioned: Bool
    private let path: String
    private let partitionSize: ByteCount

    init(in directory: String, isPartitioned: Bool, partitionSize: ByteCount) {
        path = directory + (isPartitioned ? "/events" : "/spool")
        self.isPartitioned = isPartitioned
        self.partitionSize = partitionSize
    }

    func open(_ settings: SpoolSettings, _ clock: any LogClock) throws -> any UnsentStore {
        guard isPartitioned else {
            return try Spool(directory: path, settings: settings, clock: clock, calls: FaultyKernel.calls)
        }
        return try PartitionedSpool(
            path: path, partitionSize: partitionSize, settings: settings, clock: clock,
            calls: FaultyKernel.calls
        ) { newest in
            let number = (newest.flatMap { Int($0, radix: 16) } ?? 0) + 1
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 24 - digits.count) + digits
        }
    }

    /// The messages that were set aside.
    func deadLetters() -> Set<Int> {
        var numbers: Set<Int> = []
        for name in [DeadLetterFile.olderName, DeadLetterFile.name] {
            guard let data = FileManager.default.contents(atPath: path + "/" + name) else { continue }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                guard let match = line.firstMatch(of: /"message":"(\d+)"/), let number = Int(match.output.1)
                else {
                    continue
                }
                numbers.insert(number)
            }
        }
        return numbers
    }

    /// The spools of a store that are open.
    static func spools(of store: any UnsentStore) -> [Spool] {
        if let partitions = store as? PartitionedSpool { return partitions.openSpools }
        return [store as? Spool].compactMap(\.self)
    }

    /// What a store holds, for the course that is printed.
    static func describe(_ store: (any UnsentStore)?) -> String {
        switch store {
        case let spool as Spool:
            "pending \(spool.pending), done to \(spool.plan.batch.state.acknowledged), batch to \(spool.plan.batch.state.last), next "
                + "\(spool.plan.nextID), unsaved \(spool.plan.unsaved.count), noted \(spool.plan.isStateSaved), "
                + "\(spool.plan.segments.map { "\($0.firstID)...\($0.lastID ?? 0)" })"
        case let spool as PartitionedSpool: "pending \(spool.pending), \(spool.plan.names)"
        default: "no store"
        }
    }
}
