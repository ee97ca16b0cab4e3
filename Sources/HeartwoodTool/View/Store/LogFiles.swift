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
/// Plain files are read where a block is. Others can be read from their beginning only: the text that passes
/// by is kept in chunks, up to ``cacheLimit``, and reading goes on where it ended last.
final class LogFiles: Sendable {
    /// How much text of compressed and encrypted files is kept.
    static let cacheLimit = 64 << 20
    private static let chunkSize = 1 << 19

    // MARK: Constants (any thread)

    private let key: (any SecretProvider)?
    private let redaction: RedactionRules?
    let calls: SystemCalls

    // MARK: Guarded by 'state'

    private struct ChunkKey: Hashable {
        let part: Int
        let index: Int
    }
    private struct Cursor {
        let source: LogFileSource
        var position = 0
        var rest: [UInt8] = []
    }
    private struct State {
        var parts: [LogFile] = []
        var chunks: [ChunkKey: [UInt8]] = [:]
        var order: [ChunkKey] = []
        var size = 0
        var cursors: [Int: Cursor] = [:]
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
        guard let bytes = archivedBytes(part, offset, count), isMeant(bytes) else { return nil }
        return bytes
    }

    // MARK: Plain files

    /// Whether an open file holds text as it is.
    static func isPlain(_ descriptor: Int32, _ calls: SystemCalls) -> Bool {
        let magic = EncryptedFrame.magic
        guard let start = try? calls.bytes(magic.count, of: descriptor, at: 0) else { return false }
        return !(start.starts(with: [0x1f, 0x8b]) || start == magic)
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
        state.withLock { state in
            var result: [UInt8] = []
            result.reserveCapacity(count)
            var position = offset
            while position < offset + count {
                let index = position / LogFiles.chunkSize
                guard let chunk = chunk(index, of: part, &state) else { return nil }
                let start = position - index * LogFiles.chunkSize
                let end = min(chunk.count, offset + count - index * LogFiles.chunkSize)
                guard start < end else { return nil }
                result += chunk[start..<end]
                position += end - start
            }
            return result
        }
    }

    private func chunk(_ index: Int, of part: Int, _ state: inout State) -> [UInt8]? {
        if let chunk = state.chunks[ChunkKey(part: part, index: index)] { return chunk }
        var cursor: Cursor
        if let kept = state.cursors.removeValue(forKey: part), kept.position <= index * LogFiles.chunkSize {
            cursor = kept
        } else {
            guard let source = openArchive(state.parts[part]) else { return nil }
            cursor = Cursor(source: source)
        }
        while true {
            var isAtEnd = false
            while cursor.rest.count < LogFiles.chunkSize {
                guard let piece = try? cursor.source.next() else {
                    isAtEnd = true
                    break
                }
                cursor.rest += piece
            }
            let current = cursor.position / LogFiles.chunkSize
            let chunk = Array(cursor.rest.prefix(LogFiles.chunkSize))
            if isAtEnd, chunk.count < LogFiles.chunkSize { return current == index ? chunk : nil }
            cursor.rest.removeFirst(chunk.count)
            cursor.position += chunk.count
            keep(chunk, ChunkKey(part: part, index: current), &state)
            if current == index {
                if state.cursors.count >= 8 { state.cursors.removeAll() }
                state.cursors[part] = cursor
                return chunk
            }
        }
    }

    private func keep(_ chunk: [UInt8], _ key: ChunkKey, _ state: inout State) {
        state.chunks[key] = chunk
        state.order.append(key)
        state.size += chunk.count
        while state.size > LogFiles.cacheLimit, let oldest = state.order.first {
            state.order.removeFirst()
            state.size -= state.chunks.removeValue(forKey: oldest)?.count ?? 0
        }
    }

    /// Opens the file, or the archive that was made of it since.
    private func openArchive(_ part: LogFile) -> LogFileSource? {
        for path in [part.path] + ArchiveStage.allCases.map({ part.path + $0.rawValue })
        where path == part.path || !part.path.hasSuffix(".gz") {
            if path == part.path {
                guard !part.isReplaced, let file = try? Descriptor(calls.openForReading(path), calls),
                    part.identity == nil || (try? calls.status(file.number).identity) == part.identity,
                    !LogFiles.isPlain(file.number, calls)
                else { continue }
            }
            if let source = try? LogFileSource(path: path, key: key, takesStreams: false) { return source }
        }
        return nil
    }
}
