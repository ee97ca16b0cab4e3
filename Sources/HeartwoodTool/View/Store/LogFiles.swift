import Heartwood
import HeartwoodReading

/// A file whose lines are shown.
private struct LogFile: Sendable {
    /// Where it is, or was when it was found.
    var path: String
    /// What the page calls it.
    let name: String
    /// Which file it is; the path may lead to another one later.
    let identity: FileStatus.Identity?
    /// Whether its text was cut away.
    var isGone = false
    /// Whether the file was removed.
    var isMissing = false
    /// Whether it was removed, and another file has its identity now; an archive of it may be there.
    var isReplaced = false
}

/// Gives the text of blocks back, from plain, compressed and encrypted files, with bounded memory.
///
/// Plain files are read where a block is. Others are read by `ArchivedText`, and the pieces that pass by are
/// kept, up to ``cacheLimit``. No lock is held while the disk is read, text is decompressed, or a key is
/// asked for.
final class LogFiles: Sendable {
    /// How much text of compressed and encrypted files is kept.
    static let cacheLimit = 64 << 20
    private static let mostArchives = 32

    // MARK: Constants (any thread)

    private let key: (any SecretProvider)?
    private let redaction: RedactionRules?
    let calls: SystemCalls

    // MARK: Guarded by 'state'

    private struct PieceKey: Hashable {
        let part: Int
        let index: Int
    }
    private struct State {
        var parts: [LogFile] = []
        var archives: [Int: ArchivedText] = [:]
        var pieces: [PieceKey: [UInt8]] = [:]
        var order: [PieceKey] = []
        var size = 0
    }
    private let state = Locked(State())

    init(key: (any SecretProvider)?, redaction: RedactionRules?, calls: SystemCalls = SystemCalls()) {
        self.key = key
        self.redaction = redaction
        self.calls = calls
    }

    /// Adds a file; returns its number.
    func add(path: String, name: String, identity: FileStatus.Identity?) -> Int {
        state.withLock { state in
            state.parts.append(LogFile(path: path, name: name, identity: identity))
            return state.parts.count - 1
        }
    }

    /// Says that a file was renamed.
    func move(_ identity: FileStatus.Identity, to path: String) {
        state.withLock { state in
            for index in state.parts.indices
            where state.parts[index].identity == identity && !state.parts[index].isReplaced {
                state.parts[index].path = path
            }
        }
    }

    /// Says that a new file has the identity of removed ones, as file systems give it again at once.
    func markReplaced(_ identity: FileStatus.Identity, by path: String) {
        state.withLock { state in
            for index in state.parts.indices
            where state.parts[index].identity == identity && state.parts[index].path != path {
                state.parts[index].isReplaced = true
            }
        }
    }

    /// Says that the text of a file was cut away.
    func markGone(_ part: Int) { state.withLock { $0.parts[part].isGone = true } }

    /// Says which files are not there any more.
    func lookForRemoved() {
        let paths = state.withLock { $0.parts.map(\.path) }
        let missing = paths.map { path in
            (try? calls.status(path: path)) == nil
                && !ArchiveStage.allCases.contains { (try? calls.status(path: path + $0.rawValue)) != nil }
        }
        state.withLock { state in
            for (index, isMissing) in missing.enumerated() { state.parts[index].isMissing = isMissing }
        }
    }

    /// The name of a file.
    func name(of part: Int) -> String { state.withLock { $0.parts[part].name } }

    /// The files with a name.
    func parts(named name: String) -> Set<Int> {
        state.withLock { state in Set(state.parts.indices.filter { state.parts[$0].name == name }) }
    }

    /// The names and paths of the files that are there, each once.
    var present: [(name: String, path: String)] {
        state.withLock { state in
            var seen: Set<String> = []
            return state.parts.filter { !$0.isGone && !$0.isMissing && seen.insert($0.path).inserted }
                .map { ($0.name, $0.path) }
        }
    }

    /// The text of a block; lines whose file is gone, or has another text there now, have none.
    func text(of block: LogBlock) -> BlockText {
        let sources = block.pieces.map { piece in
            BlockText.Source(
                part: piece.part, offset: piece.offset,
                bytes: bytes(of: piece.part, at: piece.offset, count: piece.count) {
                    $0.withUnsafeBytes(LogBlock.Piece.hash) == piece.hash
                })
        }
        var text = BlockText(sources, block.order)
        if let redaction { text.redact(redaction) }
        return text
    }

    /// Some text of a file; nil where the file is gone, cannot be read, or has another text there now.
    func bytes(
        of part: Int, at offset: Int, count: Int, where isMeant: ([UInt8]) -> Bool = { _ in true }
    ) -> [UInt8]? {
        let entry = state.withLock { $0.parts[part] }
        guard !entry.isGone else { return nil }
        if count == 0 { return [] }
        if let bytes = plainBytes(entry, offset, count), isMeant(bytes) { return bytes }
        if let bytes = archivedBytes(part, offset, count), isMeant(bytes) { return bytes }
        // An archive may have been incomplete, or another one may have taken its place.
        state.withLock { state in
            state.archives[part] = nil
            for key in state.order where key.part == part {
                state.size -= state.pieces.removeValue(forKey: key)?.count ?? 0
            }
            state.order.removeAll { $0.part == part }
        }
        return nil
    }

    // MARK: Plain files

    /// Whether an open file holds text as it is.
    static func isPlain(_ descriptor: Int32, _ calls: SystemCalls) -> Bool {
        let start = try? calls.bytes(EncryptedFrame.magic.count, of: descriptor, at: 0)
        return start.map { ArchiveStage(of: $0) == .plain } ?? false
    }

    private func plainBytes(_ part: LogFile, _ offset: Int, _ count: Int) -> [UInt8]? {
        guard !part.isReplaced, let number = try? calls.openForReading(part.path) else { return nil }
        defer { calls.close(number) }
        guard let status = try? calls.status(number), status.kind == .regular,
            part.identity == nil || status.identity == part.identity,
            LogFiles.isPlain(number, calls)
        else { return nil }
        guard let bytes = try? calls.bytes(count, of: number, at: offset), bytes.count == count else {
            return nil
        }
        return bytes
    }

    // MARK: Compressed and encrypted files

    private func archivedBytes(_ part: Int, _ offset: Int, _ count: Int) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var position = offset
        while position < offset + count {
            let index = position / ArchivedText.pieceSize
            guard let piece = try? piece(index, of: part) else { return nil }
            let start = position - index * ArchivedText.pieceSize
            let end = min(piece.count, offset + count - index * ArchivedText.pieceSize)
            guard start < end else { return nil }
            result += piece[start..<end]
            position += end - start
        }
        return result
    }

    private func piece(_ index: Int, of part: Int) throws -> [UInt8]? {
        let (kept, known) = state.withLock { state in
            (state.pieces[PieceKey(part: part, index: index)], state.archives[part])
        }
        if let kept { return kept }
        let text = known ?? ArchivedText { [self] in try openArchive(of: part) }
        if known == nil {
            state.withLock { state in
                // Each keeps its file open.
                if state.archives.count >= LogFiles.mostArchives { state.archives.removeAll() }
                state.archives[part] = text
            }
        }
        return try text.piece(index) { keep($1, PieceKey(part: part, index: $0)) }
    }

    private func keep(_ piece: [UInt8], _ key: PieceKey) {
        // The last piece of a file may have more later.
        guard piece.count == ArchivedText.pieceSize else { return }
        state.withLock { state in
            guard state.pieces.updateValue(piece, forKey: key) == nil else { return }
            state.order.append(key)
            state.size += piece.count
            while state.size > LogFiles.cacheLimit, let oldest = state.order.first {
                state.order.removeFirst()
                state.size -= state.pieces.removeValue(forKey: oldest)?.count ?? 0
            }
        }
    }

    /// Opens the file, or the archive that was made of it since.
    private func openArchive(of number: Int) throws -> LogFileSource {
        let part = state.withLock { $0.parts[number] }
        for path in [part.path] + ArchiveStage.allCases.map({ part.path + $0.rawValue })
        where path == part.path || !part.path.hasSuffix(ArchiveStage.gzip.rawValue) {
            if path == part.path {
                guard !part.isReplaced, let file = try? Descriptor(calls.openForReading(path), calls),
                    part.identity == nil || (try? calls.status(file.number).identity) == part.identity,
                    !LogFiles.isPlain(file.number, calls)
                else { continue }
            }
            if let source = try? LogFileSource(path: path, key: key, takesStreams: false) { return source }
        }
        throw LogError(.file, "The file is gone", place: part.path)
    }
}
