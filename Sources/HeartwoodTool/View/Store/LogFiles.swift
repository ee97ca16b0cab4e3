import Heartwood
import HeartwoodReading

/// A text whose lines are shown: that of a file, from its beginning to where it was cut.
private struct LogPart: Sendable {
    /// Where the file was when it was found.
    let path: String
    /// Which file it is; the path may lead to another one later.
    let file: FollowPlan.File
    /// The first bytes of the text, which tell its copies and archives.
    var beginning: [UInt8]
    /// Whether the file was cut since.
    var isCut = false
}

/// Gives the text of blocks back, from plain, compressed and encrypted files, with bounded memory, wherever
/// the files have gone.
///
/// 1. A text is looked for in its own file, whatever its path is by now, then in copies and archives of it:
///    in files that begin as it does. Only bytes with the hash of those that were read count as found.
/// 2. No lock is held while the disk is read, text is decompressed, or a key is asked for; only those who
///    miss a text wait for one who looks which files there are.
final class LogFiles: Sendable {
    /// How much text of compressed and encrypted files is kept.
    static let cacheLimit = 64 << 20
    private static let mostArchives = 32

    // MARK: Constants (any thread)

    private let key: (any SecretProvider)?
    private let redaction: RedactionRules?
    /// What the page calls the file with a path.
    private let name: @Sendable (String) -> String
    let calls: SystemCalls
    /// Gives the paths of the files that are there, oldest first.
    let list: @Sendable () throws -> [String]
    /// Held by the one who looks which files there are; those wait who miss a text as well.
    private let looking = Locked(())

    // MARK: Guarded by 'state'

    private struct Place: Equatable, Sendable {
        let path: String
        let file: FollowPlan.File
    }
    private struct PieceKey: Hashable {
        let file: FollowPlan.File
        let index: Int
    }
    private struct State {
        var parts: [LogPart] = []
        /// The files that are there, oldest first.
        var listed: [Place] = []
        var paths: [FollowPlan.File: String] = [:]
        /// The files that begin as a part does; cleared when the list changes.
        var copies: [Int: [Place]] = [:]
        /// What files begin with.
        var beginnings: [FollowPlan.File: [UInt8]] = [:]
        var archives: [FollowPlan.File: ArchivedText] = [:]
        var pieces: [PieceKey: [UInt8]] = [:]
        var order: [PieceKey] = []
        var size = 0
        /// Counts the changes of `listed`.
        var version = 0
        /// Counts the looks for texts that were not found, and says at which version each was missing.
        var looks = 0
        var missing: [Int: Int] = [:]
    }
    private let state = Locked(State())

    // MARK: Guarded by 'texts'

    private let texts: Locked<KeptTexts>

    init(
        key: (any SecretProvider)?, redaction: RedactionRules?, calls: SystemCalls = SystemCalls(),
        keeping limit: Int = KeptTexts.limit,
        name: @escaping @Sendable (String) -> String = { $0.folderAndName.name },
        list: @escaping @Sendable () throws -> [String]
    ) {
        self.key = key
        self.redaction = redaction
        self.calls = calls
        texts = Locked(KeptTexts(limit))
        self.name = name
        self.list = list
    }

    // MARK: What is there

    /// Adds a text, whose beginning is read where it is not given; returns its number.
    func add(path: String, file: FollowPlan.File, beginning: [UInt8]?) -> Int {
        let beginning = beginning ?? self.beginning(of: Place(path: path, file: file))
        return state.withLock { state in
            state.parts.append(LogPart(path: path, file: file, beginning: beginning))
            return state.parts.count - 1
        }
    }

    /// Says what a text has at a place, as far as that tells it from others.
    func extend(_ part: Int, at offset: Int, with bytes: some Collection<UInt8>) {
        guard offset < FollowPlan.beginningSize else { return }
        state.withLock { state in
            let known = state.parts[part].beginning.count
            guard offset <= known else { return }
            let more = bytes.dropFirst(known - offset).prefix(FollowPlan.beginningSize - known)
            if more.isEmpty { return }
            state.parts[part].beginning += more
            state.copies[part] = nil
        }
    }

    /// The first bytes of a text, as far as they are known.
    func beginning(of part: Int) -> [UInt8] { state.withLock { $0.parts[part].beginning } }

    /// Says that the file of a text was cut; returns the number of its new text.
    func restart(_ part: Int) -> Int {
        markCut(part)
        let old = state.withLock { $0.parts[part] }
        return add(path: old.path, file: old.file, beginning: [])
    }

    private func markCut(_ part: Int) {
        state.withLock { state in
            let file = state.parts[part].file
            state.parts[part].isCut = true
            state.beginnings[file] = nil
            state.archives[file] = nil
            for key in state.order where key.file == file {
                state.size -= state.pieces.removeValue(forKey: key)?.count ?? 0
            }
            state.order.removeAll { $0.file == file }
            state.copies = [:]
        }
    }

    /// Whether the file of a text was cut since.
    func isCut(_ part: Int) -> Bool { state.withLock { $0.parts[part].isCut } }

    /// Says which files there are, oldest first.
    func note(_ files: [FollowPlan.Seen]) { note(files.map { Place(path: $0.path, file: $0.file) }) }

    private func note(_ files: [Place]) {
        state.withLock { state in
            var paths: [FollowPlan.File: String] = [:]
            // A file may have two names.
            let files = files.filter { paths.updateValue($0.path, forKey: $0.file) == nil }
            if state.listed == files { return }
            (state.listed, state.paths, state.copies) = (files, paths, [:])
            state.version += 1
            state.beginnings = state.beginnings.filter { paths[$0.key] != nil }
            state.archives = state.archives.filter { paths[$0.key] != nil }
        }
    }

    /// The name of the file of a text.
    func name(of part: Int) -> String { name(state.withLock { $0.parts[part].path }) }

    /// The texts of files with a name.
    func parts(named name: String) -> Set<Int> {
        let paths = state.withLock { $0.parts.map(\.path) }
        return Set(paths.indices.filter { self.name(paths[$0]) == name })
    }

    /// The names and paths of the files that are there, each once.
    var present: [(name: String, path: String)] {
        state.withLock { $0.listed.map(\.path) }.map { (name($0), $0) }
    }

    // MARK: The text of blocks

    /// The text of a block; lines whose file is gone, or has another text there now, have none.
    ///
    /// The last texts are kept. One that is asked for `inPassing`, as by a search of all blocks, takes the
    /// place of no other.
    func text(of block: LogBlock, inPassing: Bool = false) -> BlockText {
        if let kept = texts.withLock({ $0.text(of: block, inPassing: inPassing) }) { return kept }
        let sources = block.pieces.map { piece in
            BlockText.Source(
                part: piece.part, offset: piece.offset,
                bytes: bytes(of: piece.part, at: piece.offset, count: piece.count) {
                    $0.withUnsafeBytes(LogBlock.Piece.hash) == piece.hash
                })
        }
        var text = BlockText(sources, block.order)
        if let redaction { text.redact(redaction) }
        texts.withLock { $0.keep(text, of: block, inPassing: inPassing) }
        return text
    }

    /// Some text of a file; nil where it is nowhere to be found.
    func bytes(
        of part: Int, at offset: Int, count: Int, where isMeant: ([UInt8]) -> Bool = { _ in true }
    ) -> [UInt8]? {
        if count == 0 { return [] }
        var looks: Int
        repeat {
            looks = state.withLock { $0.looks }
            if let bytes = ownBytes(part, offset, count), isMeant(bytes) { return bytes }
            for place in copies(of: part) {
                if let bytes = read(place, offset, count), isMeant(bytes) { return bytes }
            }
        } while looksAgain(for: part, after: looks)
        return nil
    }

    /// Looks which files there are, where a text was not found: its file may have been renamed or compressed.
    ///
    /// False where it was missing before, and no file has come or gone since.
    private func looksAgain(for part: Int, after looks: Int) -> Bool {
        looking.withLock { _ in
            let (isLate, isMissing) = state.withLock { state in
                (state.looks > looks, state.missing[part] == state.version)
            }
            if isLate || isMissing { return isLate }
            guard let paths = try? list() else { return false }
            note(
                paths.compactMap { path in
                    let source = try? LogFileSource(path: path, takesStreams: false, calls: calls)
                    return source?.file.map { Place(path: path, file: $0) }
                })
            state.withLock { state in
                state.looks += 1
                state.missing[part] = state.version
            }
            return true
        }
    }

    /// Some text of the file that a text was read from; nil where that is gone, was cut, or cannot be read.
    private func ownBytes(_ number: Int, _ offset: Int, _ count: Int) -> [UInt8]? {
        let part = state.withLock { $0.parts[number] }
        guard !part.isCut, let bytes = read(place(of: part), offset, count, after: part.beginning) else {
            return nil
        }
        return bytes
    }

    /// Where the file of a text is by now.
    private func place(of part: LogPart) -> Place {
        Place(path: state.withLock { $0.paths[part.file] } ?? part.path, file: part.file)
    }

    /// The files that begin as a text does, other than its own; the likeliest first.
    private func copies(of number: Int) -> [Place] {
        let (part, listed, known) = state.withLock { state in
            (state.parts[number], state.listed, state.copies[number])
        }
        if let known { return known }
        guard !part.beginning.isEmpty else { return [] }
        let places = listed.filter { place in
            (place.file != part.file || part.isCut) && beginning(of: place).starts(with: part.beginning)
        }
        // An archive, and the copy of a log that is cut, have its name in front.
        let copies =
            places.filter { $0.path.hasPrefix(part.path) } + places.filter { !$0.path.hasPrefix(part.path) }
        state.withLock { state in
            guard state.listed == listed, state.parts[number].beginning == part.beginning else { return }
            state.copies[number] = copies
        }
        return copies
    }

    private func beginning(of place: Place) -> [UInt8] {
        if let known = state.withLock({ $0.beginnings[place.file] }) { return known }
        guard let source = open(place) else { return [] }
        let beginning = source.textBeginning(decrypts: true)
        // A shorter one may grow.
        if beginning.count == FollowPlan.beginningSize {
            state.withLock { $0.beginnings[place.file] = beginning }
        }
        return beginning
    }

    // MARK: Files

    private func open(_ place: Place) -> LogFileSource? {
        let source = try? LogFileSource(path: place.path, key: key, takesStreams: false, calls: calls)
        return source?.file == place.file ? source : nil
    }

    /// Some text of a file, which must begin with `beginning`.
    private func read(
        _ place: Place, _ offset: Int, _ count: Int, after beginning: [UInt8] = []
    ) -> [UInt8]? {
        guard let source = open(place) else { return nil }
        if ArchiveStage(of: source.beginning) != .plain { return archivedBytes(place, offset, count) }
        guard let bytes = try? calls.bytes(count, of: source.number, at: offset), bytes.count == count,
            // Looked at afterwards: it may be cut at any moment.
            source.beginning.starts(with: beginning)
        else { return nil }
        return bytes
    }

    private func archivedBytes(_ place: Place, _ offset: Int, _ count: Int) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var position = offset
        while position < offset + count {
            let index = position / ArchivedText.pieceSize
            guard let piece = try? piece(index, of: place) else { return nil }
            let start = position - index * ArchivedText.pieceSize
            let end = min(piece.count, offset + count - index * ArchivedText.pieceSize)
            guard start < end else { return nil }
            result += piece[start..<end]
            position += end - start
        }
        return result
    }

    private func piece(_ index: Int, of place: Place) throws -> [UInt8]? {
        let kept = state.withLock { $0.pieces[PieceKey(file: place.file, index: index)] }
        return try kept ?? archive(place).piece(index) { keep($1, PieceKey(file: place.file, index: $0)) }
    }

    private func archive(_ place: Place) -> ArchivedText {
        state.withLock { state in
            if let known = state.archives[place.file] { return known }
            let text = ArchivedText { [weak self] in
                if let source = self?.open(place) { return source }
                throw LogError(.file, "The file is gone", place: place.path)
            }
            // Each keeps its file open.
            if state.archives.count >= LogFiles.mostArchives { _ = state.archives.popFirst() }
            state.archives[place.file] = text
            return text
        }
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

    /// Calls `body` with the text of a compressed or encrypted file, piece by piece, until it returns false.
    ///
    /// - Returns: what is wrong with the file, in words for a person; nil where nothing is.
    /// - Throws: ``LogError`` where the file cannot be read, or is encrypted and there is no key.
    func forEachPiece(of part: Int, _ body: ([UInt8]) -> Bool) throws -> String? {
        let place = place(of: state.withLock { $0.parts[part] })
        var index = 0
        while let piece = try piece(index, of: place), body(piece), piece.count == ArchivedText.pieceSize {
            index += 1
        }
        return archive(place).damage
    }
}
