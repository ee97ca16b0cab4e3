import Heartwood

extension Spool {
    /// Stores the dead letters of the directory again, after everything that is pending, and removes them from their files.
    ///
    /// All of them are stored or none, each once, also when the process dies in the middle of it.
    ///
    /// - Returns: how many messages are pending again, and how many lines stay since they have no message that can be stored.
    /// - Throws: `LogError` when the files cannot be written; then the letters are where they were, unless it says else.
    package func resendRejected() throws -> (messages: Int, others: Int) {
        guard let disk else { throw LogError(.file, "the spool is closed, or has no directory") }
        let letters = DeadLetters(in: disk.directory, payloadLimit: SpoolRecord.largestPayload)
        let found = letters.count()
        guard found.messages > 0, save() else { return (0, found.others) }
        let mark = ResendMark(String(nextID))
        let error = mark.make(in: disk.directory)
        guard error == 0 else {
            throw LogError(.file, "cannot write the spool", place: disk.directory.path, cause: error)
        }
        let before = settings
        settings.synchronizes = true
        settings.payloadLimit = SpoolRecord.largestPayload
        defer { settings = before }
        do {
            try appendWhole(found.messages, letters)
        } catch {
            mark.remove(from: disk.directory)
            throw error
        }
        try letters.removeStored(in: disk.directory)
        mark.remove(from: disk.directory)
        return found
    }

    /// Stores so many letters as a group.
    func appendWhole(_ count: Int, _ letters: DeadLetters) throws {
        var iterator = letters.iterator()
        try appendWhole(count) {
            guard let letter = iterator.next() else {
                throw LogError(.file, "the file of rejected messages changed", place: path)
            }
            return (letter.payload, letter.time, letter.level)
        }
    }
}

extension SpoolDisk {
    /// Ends what a process was doing that died while it stored dead letters again.
    func finishResending(among names: [String]) {
        let error = ResendMark.finish(in: directory, among: names) { UInt64($0).map { nextID > $0 } ?? false }
        if error != 0 {
            reports.fail("cannot remove dead letters that were queued again", DeadLetterFile.name, error)
        }
    }
}

extension DeadLetters {
    /// Removes the letters, which are stored again.
    ///
    /// - Throws: `LogError` that says what to do by hand.
    func removeStored(in directory: SpoolDirectory) throws {
        let error = remove()
        guard error != 0 else { return }
        throw LogError(
            .file,
            "the rejected messages were queued again, but their file cannot be removed; remove it yourself",
            place: directory.path + "/" + DeadLetterFile.name, cause: error)
    }
}
