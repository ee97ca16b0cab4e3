import Heartwood

/// The text of a compressed or encrypted file, read from any place.
///
/// Such a file can be read from its beginning only. On the way, the state of the reading is kept at places
/// that are ``interval`` or a multiple of it apart, so that the text after each can be read again from there.
///
/// 1. No lock is held while the disk is read, text is decompressed, or a key is asked for: a request waits
///    for no other one.
/// 2. Two ``mostPlaces`` states are kept at most, whatever the length of the text; each takes about 50 KiB.
///
/// Any thread, several at once.
package final class ArchivedText: Sendable {
    /// How much text a piece has; the last one has less.
    package static let pieceSize = 1 << 19
    private static let mostPlaces = 64
    /// How many readings are kept where they ended, for those who read on.
    private static let mostReadings = 4

    /// A reading that is at the beginning of a piece.
    ///
    /// One thread at a time has it, so that nothing ever waits for its lock: it is taken out of the state,
    /// or is a copy of one that stays there.
    private struct Reading: Sendable {
        let source: Locked<LogFileSource>
        var piece: Int

        /// Another one, which goes on where this one is.
        func copy() -> Reading? {
            let copy = source.withLock { source -> Locked<LogFileSource>? in
                // Nobody else has it, and it shares the open file only, of which no place is kept.
                guard let found = LogFileSource(goingOnLike: source) else { return nil }
                nonisolated(unsafe) let copy = found
                return Locked(copy)
            }
            return copy.map { Reading(source: $0, piece: piece) }
        }
    }
    private struct State {
        /// States that are copied, and never read on.
        var places: [Reading] = []
        /// How many pieces are between two of them.
        var interval = 16
        /// Readings that ended, the last one at the end.
        var ended: [Reading] = []
        var damage: String?

        mutating func keep(_ reading: Reading) {
            let last = places.last?.piece ?? 0
            guard reading.piece >= last + interval, let copy = reading.copy() else { return }
            places.append(copy)
            guard places.count >= 2 * mostPlaces else { return }
            interval *= 2
            places = places.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }

        /// The reading that has the least in front of a piece; nil where none is kept.
        mutating func reading(before piece: Int) -> Reading? {
            let place = places.last { $0.piece <= piece }
            let index = ended.indices.filter { ended[$0].piece <= piece }.max {
                ended[$0].piece < ended[$1].piece
            }
            if let index, ended[index].piece >= place?.piece ?? 0 { return ended.remove(at: index) }
            return place?.copy()
        }
    }

    // MARK: Constants (any thread)
    private let open: @Sendable () throws -> LogFileSource

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// Takes what opens the file at its beginning, whenever it is needed.
    package init(open: @escaping @Sendable () throws -> LogFileSource) {
        self.open = open
    }

    /// What was found to be wrong with the file at its end, in words for a person; nil where nothing was.
    package var damage: String? { state.withLock { $0.damage } }

    /// Reads a piece of the text, and hands out all pieces that are read on the way, this one included.
    ///
    /// Returns nil where the text ends before the piece. One with less than ``pieceSize`` bytes is the last
    /// one, and may have more later.
    ///
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    package func piece(_ index: Int, passing: (Int, [UInt8]) -> Void) throws -> [UInt8]? {
        var reading =
            try state.withLock { $0.reading(before: index) } ?? Reading(source: Locked(open()), piece: 0)
        while true {
            let piece = try reading.source.withLock { try ArchivedText.next(of: $0) }
            if !piece.isEmpty { passing(reading.piece, piece) }
            guard piece.count == ArchivedText.pieceSize else {
                let damage = reading.source.withLock { $0.damage }
                state.withLock { $0.damage = damage }
                return reading.piece == index && !piece.isEmpty ? piece : nil
            }
            let isFound = reading.piece == index
            reading.piece += 1
            state.withLock { state in
                state.keep(reading)
                guard isFound else { return }
                state.ended.append(reading)
                if state.ended.count > ArchivedText.mostReadings { state.ended.removeFirst() }
            }
            if isFound { return piece }
        }
    }

    private static func next(of source: LogFileSource) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: pieceSize) { room, count in
            let room = UnsafeMutableRawBufferPointer(room)
            while count < room.count {
                let more = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                if more == 0 { return }
                count += more
            }
        }
    }
}
