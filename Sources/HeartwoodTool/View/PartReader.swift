import Heartwood

/// Gives the text of blocks back, from plain, compressed and encrypted files, with bounded memory.
///
/// Plain files are read where a block is. Others can be read from their beginning only: the text that passes by is kept
/// in chunks, up to ``cacheLimit``, and reading goes on where it ended last.
final class PartReader: Sendable {
    /// How much text of compressed and encrypted files is kept.
    static let cacheLimit = 64 << 20
    private static let chunkSize = 1 << 19

    // MARK: Constants (any thread)

    private let key: (any SecretProvider)?
    private let calls = SystemCalls()

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
        var parts: [LogPart] = []
        var chunks: [ChunkKey: [UInt8]] = [:]
        var order: [ChunkKey] = []
        var size = 0
        var cursors: [Int: Cursor] = [:]
    }
    private let state = Locked(State())

    init(key: (any SecretProvider)?) {
        self.key = key
    }

    /// Adds a file; returns its number.
    func add(path: String, identity: FileStatus.Identity?) -> Int {
        state.withLock { state in
            state.parts.append(LogPart(path: path, identity: identity))
            return state.parts.count - 1
        }
    }

    /// Says that a file was renamed.
    func move(_ identity: FileStatus.Identity, to path: String) {
        state.withLock { state in
            for index in state.parts.indices where state.parts[index].identity == identity {
                state.parts[index].path = path
            }
        }
    }

    /// Says that the text of a file was cut away.
    func markGone(_ part: Int) { state.withLock { $0.parts[part].isGone = true } }

    /// The name of a file.
    func name(of part: Int) -> String { state.withLock { $0.parts[part].name } }

    /// The names of all files.
    var names: [String] { state.withLock { $0.parts.map(\.name) } }

    /// The text of a block; nil where the file is gone, or cannot be read any more.
    func bytes(of block: LogBlock) -> [UInt8]? { bytes(of: block.part, at: block.offset, count: block.count) }

    /// Some text of a file; nil where the file is gone, or cannot be read any more.
    func bytes(of part: Int, at offset: Int, count: Int) -> [UInt8]? {
        let entry = state.withLock { $0.parts[part] }
        guard !entry.isGone else { return nil }
        if count == 0 { return [] }
        if let bytes = plainBytes(entry, offset, count) { return bytes }
        return archivedBytes(part, offset, count)
    }

    // MARK: Plain files

    private func plainBytes(_ part: LogPart, _ offset: Int, _ count: Int) -> [UInt8]? {
        guard let number = try? calls.openForReading(part.path) else { return nil }
        defer { calls.close(number) }
        guard let status = try? calls.status(number), status.kind == .regular,
            part.identity == nil || status.identity == part.identity,
            LogPart.isPlain(number, calls)
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
                let index = position / PartReader.chunkSize
                guard let chunk = chunk(index, of: part, &state) else { return nil }
                let start = position - index * PartReader.chunkSize
                let end = min(chunk.count, offset + count - index * PartReader.chunkSize)
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
        if let kept = state.cursors.removeValue(forKey: part), kept.position <= index * PartReader.chunkSize {
            cursor = kept
        } else {
            guard let source = openArchive(state.parts[part]) else { return nil }
            cursor = Cursor(source: source)
        }
        while true {
            var isAtEnd = false
            while cursor.rest.count < PartReader.chunkSize {
                guard let piece = try? cursor.source.next() else {
                    isAtEnd = true
                    break
                }
                cursor.rest += piece
            }
            let current = cursor.position / PartReader.chunkSize
            let chunk = Array(cursor.rest.prefix(PartReader.chunkSize))
            if isAtEnd, chunk.count < PartReader.chunkSize { return current == index ? chunk : nil }
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
        while state.size > PartReader.cacheLimit, let oldest = state.order.first {
            state.order.removeFirst()
            state.size -= state.chunks.removeValue(forKey: oldest)?.count ?? 0
        }
    }

    /// Opens the file, or the archive that was made of it since.
    private func openArchive(_ part: LogPart) -> LogFileSource? {
        for path in [part.path] + ArchiveStage.allCases.map({ part.path + $0.rawValue })
        where path == part.path || !part.path.hasSuffix(".gz") {
            if path == part.path, let identity = part.identity,
                let status = try? calls.status(path: path), status.identity != identity
            {
                continue
            }
            if let source = try? LogFileSource(path: path, key: key) { return source }
        }
        return nil
    }
}
