/// The ring in a journal's file as its threads see it, one atomic step after the other: a model, to be explored as a whole.
///
/// It makes the same steps in the same order as `RecordRing`, `RecordView`, `Drain` and `JournalReader`. A position counts
/// records here, all of one size. A record has a front, with its marks, and a back: in one page, or in two.
struct RingModel: Hashable {
    /// A step that is left out, or made at the wrong place.
    enum Fault: CaseIterable {
        case publishesBeforeStamp, publishesBeforeText, clearsAfterHead, sealsWithoutText
        case stampsWithoutPlace, stampsTwoPages, opensBeforeUnpublished, freesUnwritten
        case trustsCopyOfCutFile, waitsForWhatIsGone, countsNothingGone, dropsRestOfCutFile
        case leavesCallsBehind
        case takesBesideOthers, takesWithoutLock, takesWhileLoggerRuns
    }

    struct Scene: Sendable {
        var capacity = 2
        /// How many messages each thread logs.
        var producers = [1, 1, 1]
        var isInTwoPages = false
        /// Whether the machine stores a page whenever it likes, and ends.
        var storesPages = false
        /// Whether each call is synchronous, and its thread handles the message itself if there is nothing else to do.
        var takesAlone = false
        /// Whether another journal is taken while the threads log.
        var switches = false
        /// Whether somebody cuts the file, at any half of a record.
        var cuts = false
        var fault: Fault?
    }

    /// What is under the lock of the drain.
    private struct Drain: Hashable {
        var step = 0
        var copy = [0, 0]
    }

    private struct Producer: Hashable {
        var step = 0
        var left: Int
        var message: Int
        var seenTail = 0
        var position = 0
    }

    struct Record: Hashable {
        /// The stamp of a place, greater than 0, or the check of a place and two halves of a text, less than 0.
        var mark = 0
        var isPublished = false
        /// The halves of the text.
        var front = 0
        var back = 0

        static func check(_ position: Int, _ front: Int, _ back: Int) -> Int {
            -(1 + position * 100 + front * 10 + back)
        }
    }

    struct File: Hashable {
        var records: [Record]
        var tail: Int, head: Int, released: Int
        /// How many halves of records it has left, where it was cut.
        var halves: Int?

        /// Whether it still has all of a record.
        func has(_ index: Int) -> Bool { halves.map { 2 * index + 2 <= $0 } ?? true }
    }

    private var file: File
    /// The one that the ring was in before; its loggers may not be done with it.
    private var former: File?
    /// What the machine has stored.
    private var stored: File
    private var consumed = 0
    private var drain = Drain()
    private var producers: [Producer]
    /// The end of what is in the ring while it is closed.
    private var closedEnd: Int?
    private var hasSwitched = false
    private var hasCut = false
    /// How many messages were counted as lost, and how many of them the file did not have.
    private var vanished = 0
    private var mostVanished = 0
    /// A place whose text was handed out, and is not what was logged there.
    private var torn: Int?
    private var inbox: [Int] = []
    /// The position whose message a caller handles itself, with the right to run the logger.
    private var alone: Int?
    /// Which messages are in the log, and up to where the logger is done.
    private var written: [Int] = []
    private var done = 0
    /// Which message was logged at each place, and whose calls have returned.
    private var order: [Int: Int] = [:]
    private var returned: Set<Int> = []

    init(_ scene: Scene) {
        file = File(
            records: Array(repeating: Record(), count: scene.capacity), tail: 0, head: 0, released: 0)
        stored = file
        producers = scene.producers.enumerated().map { Producer(left: $1, message: $0 * 2 + 1) }
    }

    private func index(_ position: Int) -> Int { position % file.records.count }

    // MARK: - Steps

    /// What may come next: a step of each thread that can make one.
    func successors(_ scene: Scene) -> [RingModel] {
        var all = producers.indices.compactMap { number in after { $0.stepProducer(number, scene) } }
        all += [after { $0.stepDrain(scene) }, after { $0.stepLogger() }].compactMap { $0 }
        if scene.switches, let next = after({ $0.stepSwitch(scene) }) { all.append(next) }
        if scene.cuts, !hasCut {
            all += (0..<2 * scene.capacity).compactMap { halves in after { $0.stepCut(halves) } }
        }
        if scene.storesPages { all += storing(scene) }
        return all
    }

    private func after(_ step: (inout RingModel) -> Bool) -> RingModel? {
        var next = self
        return step(&next) ? next : nil
    }

    private mutating func stepProducer(_ number: Int, _ scene: Scene) -> Bool {
        var me = producers[number]
        defer { producers[number] = me }
        let place = index(me.position)
        if me.left == 0 { return false }
        me.step += 1
        switch me.step - 1 {
        case 0: me.seenTail = file.tail
        case 1:
            if me.seenTail + 1 - file.head > scene.capacity {
                // Full; unless the tail is older than the head.
                if file.tail == me.seenTail { return false }
                me.step = 0
            }
        case 2:
            if file.tail == me.seenTail {
                (file.tail, me.position) = (me.seenTail + 1, me.seenTail)
                order[me.position] = me.message
            } else {
                me.step = 0
            }
        case 3: file.records[place].front = me.message
        case 4:
            if scene.fault == .publishesBeforeText { file.records[place].isPublished = true }
            file.records[place].back = me.message
        case 5:
            if scene.fault == .publishesBeforeStamp { file.records[place].isPublished = true }
            file.records[place].mark = mark(of: me.position, me.message, scene)
        case 6:
            file.records[place].isPublished = true
            if !scene.takesAlone { finish(&me) }
        case 7:
            me.seenTail = file.tail
            if takeAlone(before: me.seenTail, scene) { me.step = 9 }
        case 8:
            // The general way: the drain hands the message out, and the call waits for the logger.
            if !written.contains(me.message) || done <= me.position { return false }
            finish(&me)
        case 9:
            if let position = alone, let message = order[position] { written.append(message) }
        default:
            done = max(done, (alone ?? 0) + 1)
            alone = nil
            if !written.contains(me.message) { me.step = 8 } else { finish(&me) }
        }
        return true
    }

    private mutating func finish(_ me: inout Producer) {
        returned.insert(me.message)
        me = Producer(left: me.left - 1, message: me.message + 1)
    }

    /// A caller takes the only message there is, under the drain's lock, if nobody runs the logger and nothing waits for it.
    private mutating func takeAlone(before end: Int, _ scene: Scene) -> Bool {
        if drain.step != 0, scene.fault != .takesWithoutLock { return false }
        if alone != nil || consumed >= end { return false }
        if consumed + 1 != end, scene.fault != .takesBesideOthers { return false }
        if !inbox.isEmpty, scene.fault != .takesWhileLoggerRuns { return false }
        let position = scene.fault == .takesBesideOthers ? end - 1 : consumed
        if !file.records[index(position)].isPublished { return false }
        (alone, consumed) = (position, end)
        return true
    }

    private func mark(of position: Int, _ message: Int, _ scene: Scene) -> Int {
        if scene.isInTwoPages, scene.fault != .stampsTwoPages {
            return Record.check(position, message, message)
        }
        return scene.fault == .stampsWithoutPlace ? 1 : position + 1
    }

    private mutating func stepDrain(_ scene: Scene) -> Bool {
        drain.step += 1
        switch drain.step - 1 {
        case 0:
            let record = file.records[index(consumed)]
            if consumed < (closedEnd ?? file.tail), record.isPublished {
                drain.copy = [record.front, record.back]
            } else if file.halves != nil {
                drain = Drain()
                return scene.fault == .waitsForWhatIsGone ? false : rescue(scene)
            } else if closedEnd == nil, file.head < (scene.fault == .freesUnwritten ? consumed : done) {
                drain.step = 5
            } else {
                return false
            }
        case 1:
            // The size is looked at after the copy was made.
            if file.halves != nil, scene.fault != .trustsCopyOfCutFile {
                drain = Drain()
                return rescue(scene)
            }
            consumed += 1
        case 2:
            // Others were sealed by their callers.
            if !scene.isInTwoPages {
                let text = scene.fault == .sealsWithoutText ? [0, 0] : drain.copy
                file.records[index(consumed - 1)].mark = Record.check(consumed - 1, text[0], text[1])
            }
        case 3:
            handOut(consumed - 1, drain.copy)
            drain = Drain()
        case 5:
            file.released = file.head + 1
            if scene.fault == .clearsAfterHead { file.head += 1 }
        case 6: file.records[index(scene.fault == .clearsAfterHead ? file.head - 1 : file.head)] = Record()
        default:
            if scene.fault != .clearsAfterHead { file.head += 1 }
            drain = Drain()
        }
        return true
    }

    private mutating func handOut(_ position: Int, _ text: [Int]) {
        if text.contains(where: { $0 != order[position] }) { torn = position }
        inbox.append(position)
    }

    /// Somebody cuts the file: what it loses is zero.
    private mutating func stepCut(_ halves: Int) -> Bool {
        (file.halves, hasCut) = (halves, true)
        for index in file.records.indices {
            if 2 * index >= halves { file.records[index] = Record() }
            if 2 * index + 1 >= halves { file.records[index].back = 0 }
        }
        return true
    }

    /// The drain hands out what a cut file has left, counts the rest, and has the ring go on in another file.
    ///
    /// Before that, calls that are at their records end there: they would write into the other file.
    private mutating func rescue(_ scene: Scene) -> Bool {
        let isWaiting = producers.contains { (3...6).contains($0.step) }
        if isWaiting, scene.fault != .leavesCallsBehind { return false }
        for position in consumed..<max(consumed, closedEnd ?? file.tail) {
            let record = file.records[index(position)]
            if !file.has(index(position)) || !record.isPublished { mostVanished += 1 }
            if file.has(index(position)), record.isPublished, scene.fault != .dropsRestOfCutFile {
                handOut(position, [record.front, record.back])
            } else if scene.fault != .countsNothingGone {
                vanished += 1
            }
        }
        let beginning = (max(file.tail, consumed) / scene.capacity + 2) * scene.capacity
        file = File(
            records: Array(repeating: Record(), count: scene.capacity), tail: beginning, head: beginning,
            released: beginning)
        (consumed, closedEnd) = (beginning, nil)
        return true
    }

    /// The logger writes a message and then says that it is done; what it was about to write is known from its intent.
    private mutating func stepLogger() -> Bool {
        guard let position = inbox.first, alone == nil else { return false }
        if let message = order[position], !written.contains(message) {
            written.append(message)
        } else {
            done = position + 1
            inbox.removeFirst()
        }
        return true
    }

    /// The drain closes the ring, takes what is in it, and has it go on in another file.
    private mutating func stepSwitch(_ scene: Scene) -> Bool {
        if hasSwitched || drain.step != 0 { return false }
        guard let end = closedEnd else {
            (closedEnd, file.tail) = (file.tail, file.head + scene.capacity)
            return true
        }
        if consumed < end, scene.fault != .opensBeforeUnpublished { return false }
        former = file
        former?.tail = end
        let beginning = (file.tail / scene.capacity + 2) * scene.capacity
        file = File(
            records: Array(repeating: Record(), count: scene.capacity), tail: beginning, head: beginning,
            released: beginning)
        (consumed, closedEnd, hasSwitched) = (beginning, nil, true)
        return true
    }

    /// Each page that the machine may store at this moment: that of the counters, those of the records.
    private func storing(_ scene: Scene) -> [RingModel] {
        var all: [RingModel] = []
        func add(_ change: (inout File) -> Void) {
            var next = self
            change(&next.stored)
            if next.stored != stored { all.append(next) }
        }
        add { ($0.tail, $0.head, $0.released) = (file.tail, file.head, file.released) }
        for (place, record) in file.records.enumerated() {
            add {
                let back = scene.isInTwoPages ? $0.records[place].back : record.back
                $0.records[place] = record
                $0.records[place].back = back
            }
            if scene.isInTwoPages { add { $0.records[place].back = record.back } }
        }
        return all
    }

    // MARK: - What must hold if all ends here

    /// What a reader takes for whole: the text's halves, by positions.
    private func read(_ file: File, _ scene: Scene) -> [Int: [Int]] {
        var found: [Int: [Int]] = [:]
        for position in file.released..<max(file.released, file.tail) {
            let record = file.records[position % file.records.count]
            let stamp = scene.fault == .stampsWithoutPlace ? 1 : position + 1
            let accepts = !scene.isInTwoPages || scene.fault == .stampsTwoPages
            if record.isPublished,
                record.mark == Record.check(position, record.front, record.back)
                    || accepts && record.mark == stamp
            {
                found[position] = [record.front, record.back]
            }
        }
        return found
    }

    /// What is wrong if the process ends here, or the machine; nil if nothing is.
    func failure(_ scene: Scene) -> String? {
        if let torn { return "what was handed out at \(torn) is not what was logged there" }
        let sorted = order.keys.sorted().compactMap { order[$0] }
        if sorted.filter(written.contains) != written { return "the log has another order" }
        // What else a file had that was cut may be lost if all ends here.
        if hasCut { return nil }
        var found = read(file, scene)
        if let former { found.merge(read(former, scene)) { first, _ in first } }
        for place in [found, read(stored, scene)] {
            for (position, text) in place where text.contains(where: { $0 != order[position] }) {
                return "what was found at \(position) is not what was logged there"
            }
        }
        let recovered = found.values.map { $0[0] }.filter { !written.contains($0) }
        if Set(recovered).count != recovered.count { return "a message is recovered twice" }
        if let lost = returned.first(where: { !written.contains($0) && !recovered.contains($0) }) {
            return "message \(lost), whose call had returned, is lost"
        }
        return nil
    }

    /// Whether everybody has come to the end.
    func isOver(_ scene: Scene) -> Bool {
        returned.count == scene.producers.reduce(0, +) && written.count + vanished == returned.count
            && vanished <= mostVanished
    }

    /// Explores every order of steps; says what is wrong in the first state where something is, and how many there are.
    static func explore(_ scene: Scene) -> (states: Int, failure: String?) {
        var seen: Set<RingModel> = [RingModel(scene)]
        var open = Array(seen)
        while let state = open.popLast() {
            if let failure = state.failure(scene) { return (seen.count, failure) }
            let next = state.successors(scene)
            if next.isEmpty, !state.isOver(scene) { return (seen.count, "nobody can go on") }
            for state in next where seen.insert(state).inserted { open.append(state) }
        }
        return (seen.count, nil)
    }
}
