import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// A file system in memory, in which a log is written and rotated, and a follower that does what the plan says.
private struct FollowedWorld {
    struct Content {
        var text: [UInt8] = []
        var isGzip = false
        let birth: Int64
        var change: Int
    }

    private var random: SeededGenerator
    private var inodes: [UInt64: Content] = [:]
    private var paths: [String: UInt64] = [:]
    private var clock = 0
    private var writer: UInt64 = 0
    private var isLate = 0
    private var met: Set<Int64> = []
    /// Whether rolled files are compressed at any moment, also during a look.
    private var isArchiving = false

    private var plan = FollowPlan()
    private var open: [FollowPlan.File: (inode: UInt64, position: Int)] = [:]
    private var now = Duration.zero
    private(set) var written: [String] = []
    private(set) var shown: [String] = []

    init(seed: UInt64, _ way: String) {
        random = SeededGenerator(seed: seed)
        isArchiving = way == "archiving"
        create()
        _ = perform(plan.start(seen(), at: now))
        look()
    }

    private mutating func tick() -> Int {
        clock += 1
        return clock
    }

    /// The smallest number that no path leads to and nobody has open, as kernels give it.
    private mutating func add(_ text: [UInt8] = [], isGzip: Bool = false) -> UInt64 {
        var number: UInt64 = 1
        let used = Set(paths.values).union(open.values.map(\.inode)).union([writer])
        while used.contains(number) { number += 1 }
        inodes[number] = Content(text: text, isGzip: isGzip, birth: Int64(tick()), change: clock)
        return number
    }

    private mutating func create() {
        let number = add()
        paths["d/app.log"] = number
        if isLate == 0 { writer = number }
    }

    private func file(_ inode: UInt64) -> FollowPlan.File {
        FollowPlan.File(identity: .init(device: 1, inode: inode), birth: inodes[inode]?.birth ?? 0)
    }

    private mutating func write() {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let line = "line \(written.count)"
            written.append(line)
            inodes[writer]?.text += Array((line + "\n").utf8)
            let moment = tick()
            inodes[writer]?.change = moment
        }
        if isLate > 0 {
            isLate -= 1
            if isLate == 0, let current = paths["d/app.log"] { writer = current }
        }
    }

    private mutating func shift() {
        for number in stride(from: 30, to: 0, by: -1) {
            for end in ["", ".gz"] {
                if let inode = paths.removeValue(forKey: "d/app.log.\(number)\(end)") {
                    paths["d/app.log.\(number + 1)\(end)"] = inode
                }
            }
        }
    }

    mutating func step(_ way: String) {
        let all = ["create", "late", "copytruncate", "dated", "remove", "missing", "compress"]
        let choice = Int.random(in: 0..<10, using: &random)
        if choice < 4 { return write() }
        if choice < 7 { return look() }
        guard let current = paths["d/app.log"] else { return create() }
        switch way == "mixed" ? all.randomElement(using: &random) ?? way : way {
        case "late":
            if isLate > 0 { return }
            isLate = Int.random(in: 1...2, using: &random)
            fallthrough
        case "create":
            shift()
            paths["d/app.log.1"] = current
            create()
        case "copytruncate":
            if isLate > 0 { return }
            shift()
            paths["d/app.log.1"] = add(inodes[current]?.text ?? [])
            inodes[current]?.text = []
            let moment = tick()
            inodes[current]?.change = moment
        case "copying":
            // Of two files that nobody ever saw, none is known to be the copy.
            guard isLate == 0, met.contains(inodes[current]?.birth ?? 0) else { return }
            shift()
            let text = inodes[current]?.text ?? []
            let copy = add()
            paths["d/app.log.1"] = copy
            // What a look finds of a copy that is being made.
            for count in [0, 3, text.count / 2, text.count] {
                if Bool.random(using: &random) { look() }
                inodes[copy]?.text = Array(text.prefix(count))
            }
            if Bool.random(using: &random) { look() }
            // What comes between the copy and the cut nobody can show who has not looked.
            if Bool.random(using: &random) {
                write()
                look()
            }
            inodes[current]?.text = []
            let moment = tick()
            inodes[current]?.change = moment
        case "dated", "archiving":
            archive()
            paths["d/app 2026-11-20--10-00-00-\(100 + clock).log"] = current
            create()
        case "remove":
            // What nobody ever saw nobody can show.
            guard isLate == 0, met.contains(inodes[current]?.birth ?? 0) else { return }
            paths["d/app.log"] = nil
            if Bool.random(using: &random) { look() }
            create()
        case "missing":
            if isLate > 0 { return }
            shift()
            paths["d/app.log.1"] = current
            paths["d/app.log"] = nil
            for _ in 0..<3 { look() }
            create()
        case "compress":
            let rolled = paths.first { path, inode in
                path != "d/app.log" && !path.hasSuffix(".gz") && inode != writer
                    && met.contains(inodes[inode]?.birth ?? 0)
            }
            guard let rolled else { return }
            look()
            compress(rolled.key, rolled.value)
        default: break
        }
    }

    private mutating func compress(_ path: String, _ inode: UInt64) {
        paths[path] = nil
        paths[path + ".gz"] = add(inodes[inode]?.text ?? [], isGzip: true)
    }

    /// Compresses any of the rolled files, met or not; the archive keeps its place in the order of age.
    private mutating func archive() {
        guard isArchiving, Bool.random(using: &random) else { return }
        let rolled = paths.filter { $0.key != "d/app.log" && !$0.key.hasSuffix(".gz") && $0.value != writer }
        guard let path = rolled.keys.sorted().randomElement(using: &random), let inode = rolled[path],
            let content = inodes[inode]
        else { return }
        compress(path, inode)
        if let archive = paths[path + ".gz"] { inodes[archive]?.change = content.change }
    }

    private mutating func seen() -> [FollowPlan.Seen] {
        while true {
            let listed = paths.sorted { (inodes[$0.value]?.change ?? 0) < (inodes[$1.value]?.change ?? 0) }
            var seen: [FollowPlan.Seen] = []
            for (path, _) in listed {
                archive()
                guard let inode = paths[path] else { break }
                let text = inodes[inode]?.text ?? []
                seen.append(
                    FollowPlan.Seen(
                        path: path, file: file(inode), size: text.count,
                        beginning: Array(text.prefix(FollowPlan.beginningSize))))
            }
            if seen.count == listed.count { return seen }
        }
    }

    mutating func look() {
        now += .milliseconds(250)
        repeat {
            let held = open.mapValues { state in
                let text = inodes[state.inode]?.text ?? []
                return FollowPlan.Held(
                    size: text.count, beginning: Array(text.prefix(FollowPlan.beginningSize)))
            }
            for inode in paths.values { met.insert(inodes[inode]?.birth ?? 0) }
            if !perform(plan.look(seen(), held: held, at: now)), !plan.looksAgain { break }
        } while true
    }

    /// Returns whether another look is due.
    private mutating func perform(_ actions: [FollowPlan.Action]) -> Bool {
        var (isDue, hasMissed) = (false, false)
        for action in actions {
            archive()
            switch action {
            case .open(let file, let path, let place):
                isDue = true
                guard !hasMissed || place > 0, let inode = paths[path] else {
                    plan.miss(file)
                    hasMissed = true
                    continue
                }
                open[file] = (inode, place)
                read(file)
            case .hold(let file, let path):
                guard !hasMissed, let inode = paths[path] else {
                    plan.miss(file)
                    (isDue, hasMissed) = (true, true)
                    continue
                }
                open[file] = (inode, 0)
            case .read(let file): read(file)
            case .restart(let file):
                open[file]?.position = 0
                read(file)
            case .close(let file): open[file] = nil
            }
        }
        return isDue
    }

    private mutating func read(_ file: FollowPlan.File) {
        guard let state = open[file], let text = inodes[state.inode]?.text, text.count >= state.position
        else {
            return
        }
        let lines = String(decoding: text[state.position...], as: UTF8.self)
        shown += lines.split(separator: "\n").map(String.init)
        open[file]?.position = text.count
        plan.advance(file, path: "", to: text.count, at: now)
    }
}

/// A follower, and a directory whose logs have names that are new in each round.
private struct UsedFollower {
    private typealias Content = (path: String, size: Int, text: [UInt8])

    var plan = FollowPlan()
    private var now = Duration.zero
    private var contents: [FollowPlan.File: Content] = [:]
    private var order: [FollowPlan.File] = []
    private var open: Set<FollowPlan.File> = []
    private var names = 0

    mutating func name() -> String {
        names += 1
        return "/l/log\(names).log"
    }

    /// Makes a file whose text begins as those of the same `text` do.
    @discardableResult
    mutating func add(_ path: String, _ size: Int, of text: String) -> FollowPlan.File {
        let number = UInt64(order.count + 1)
        let file = FollowPlan.File(identity: .init(device: 1, inode: number), birth: Int64(number))
        contents[file] = (path, size, Self.beginning(of: text))
        order.append(file)
        return file
    }

    mutating func grow(_ file: FollowPlan.File, to size: Int) { contents[file]?.size = size }

    mutating func rename(_ file: FollowPlan.File, _ path: String) { contents[file]?.path = path }

    /// Cuts a file and writes another text to it.
    mutating func cut(_ file: FollowPlan.File, _ size: Int, of text: String) {
        contents[file]?.size = size
        contents[file]?.text = Self.beginning(of: text)
    }

    private static func beginning(of text: String) -> [UInt8] {
        Array(String(repeating: text + "\n", count: 1000).utf8.prefix(FollowPlan.beginningSize))
    }

    mutating func remove(_ file: FollowPlan.File) { contents[file]?.path = "" }

    /// Looks, and does what the plan says; tells it of the files from a number on.
    @discardableResult
    mutating func look(from first: Int = 0) -> [String] {
        now += .seconds(1)
        let seen = order.compactMap { file -> FollowPlan.Seen? in
            guard let content = contents[file], !content.path.isEmpty else { return nil }
            return FollowPlan.Seen(
                path: content.path, file: file, size: content.size,
                beginning: Array(content.text.prefix(content.size)))
        }
        var held: [FollowPlan.File: FollowPlan.Held] = [:]
        for file in open {
            guard let content = contents[file] else { continue }
            held[file] = .init(size: content.size, beginning: Array(content.text.prefix(content.size)))
        }
        var story: [String] = []
        for action in plan.look(seen, held: held, at: now) {
            let (what, file, place) =
                switch action {
                case .open(let file, _, let place): ("open", file, place)
                case .hold(let file, _): ("hold", file, 0)
                case .read(let file): ("read", file, 0)
                case .restart(let file): ("restart", file, 0)
                case .close(let file): ("close", file, 0)
                }
            if what == "open" || what == "hold" { open.insert(file) }
            if what == "close" { open.remove(file) }
            let size = contents[file]?.size ?? 0
            if what != "close", what != "hold" {
                plan.advance(file, path: contents[file]?.path ?? "", to: size, at: now)
            }
            let number = (order.firstIndex(of: file) ?? 0) - first
            if number >= 0 { story.append("\(what) \(number) at \(place) of \(size)") }
        }
        return story
    }

    mutating func round() -> [String] {
        let (first, log) = (order.count, name())
        var story: [String] = []
        func note(_ what: String, _ actions: [String]) { story.append("\(what): \(actions)") }
        note("nothing", look(from: first))
        let one = add(log, 100, of: "one of \(log)")
        note("new", look(from: first))
        grow(one, to: 9000)
        note("grown", look(from: first))
        rename(one, log + ".1")
        let two = add(log, 50, of: "two of \(log)")
        note("rolled", look(from: first))
        grow(two, to: 8000)
        note("grown", look(from: first))
        add(log + ".2", 8000, of: "two of \(log)")
        cut(two, 10, of: "three of \(log)")
        note("copied and cut", look(from: first) + look(from: first))
        let archive = add(log + ".1.gz", 300, of: "one of \(log)")
        remove(one)
        note("compressed", look(from: first))
        for file in [two, archive] { remove(file) }
        for _ in 0..<8 { note("removed", look(from: first)) }
        return story
    }
}

@Suite("Following logs that are rotated", .inTurn)
struct FollowPlanTests {
    @Test(
        "Every line is shown once, in whatever way the log is rotated, and however often between two looks",
        arguments: [
            "create", "late", "copytruncate", "copying", "dated", "archiving", "remove", "missing",
            "compress",
            "mixed",
        ])
    func rotations(_ way: String) {
        for seed in 0..<UInt64(Tier.amount(20, full: 500)) {
            var world = FollowedWorld(seed: seed, way)
            for _ in 0..<60 { world.step(way) }
            world.look()
            let isSame = world.shown.sorted() == world.written.sorted()
            #expect(isSame, "\(way), seed \(seed): \(world.shown) instead of \(world.written)")
            let isInOrder =
                ["copytruncate", "copying", "late", "mixed"].contains(way) || world.shown == world.written
            #expect(isInOrder, "\(way), seed \(seed): \(world.shown)")
            if !isSame || !isInOrder { return }
        }
    }

    @Test(
        "A copy is read from where the log had been read to when that was cut, and no line of it twice",
        arguments: [
            (9000, ["restart 0 at 0 of 10"], "open 1 at 9000 of 9600"),
            (9500, ["open 1 at 9000 of 9500", "restart 0 at 0 of 10"], "read 1 at 0 of 9600"),
        ])
    func copyOfCutLog(_ size: Int, _ whenCut: [String], _ whenGrown: String) {
        var follower = UsedFollower()
        let log = follower.name()
        let file = follower.add(log, 9000, of: "one")
        follower.look()
        let copy = follower.add(log + ".1", 8000, of: "one")
        follower.look()
        follower.grow(copy, to: size)
        follower.cut(file, 10, of: "two")
        #expect(follower.look() == whenCut)
        follower.grow(copy, to: 9600)
        #expect(follower.look() == ["read 0 at 0 of 10", whenGrown])
    }

    private static func file(_ inode: UInt64) -> FollowPlan.File {
        FollowPlan.File(identity: .init(device: 1, inode: inode), birth: Int64(inode))
    }

    @Test("Whatever logs a follower has seen, it follows the next one as the first")
    func used() async throws {
        try await expectAsNew(
            { UsedFollower() },
            after: [
                "a log that was cut": { follower in
                    let log = follower.name()
                    let file = follower.add(log, 9000, of: "one")
                    follower.look()
                    follower.cut(file, 20, of: "two")
                    follower.look()
                },
                "a file that is too short to tell whether it is a copy": { follower in
                    let log = follower.name()
                    follower.add(log, 9000, of: "one")
                    follower.look()
                    follower.add(log + ".1", 6, of: "one")
                    follower.look()
                },
                "a file that could not be opened": { follower in
                    let file = follower.add(follower.name(), 100, of: "one")
                    follower.look()
                    follower.plan.miss(file)
                },
                "a log that lost its name while it was read": { follower in
                    let file = follower.add(follower.name(), 100, of: "one")
                    follower.look()
                    follower.remove(file)
                    follower.look()
                },
                "many logs that are gone": { follower in
                    for _ in 0..<200 {
                        let file = follower.add(follower.name(), 100, of: follower.name())
                        follower.look()
                        follower.remove(file)
                    }
                    for _ in 0..<8 { follower.look() }
                },
            ]
        ) { $0.round() }
    }

    @Test("A log that was quiet before it lost its name is read on for all of the time of grace")
    func quietBefore() {
        let (file, text) = (Self.file(1), Array("line\n".utf8))
        let seen = FollowPlan.Seen(path: "/l/app.log", file: file, size: 5, beginning: text)
        let held = [file: FollowPlan.Held(size: 5, beginning: text)]
        var plan = FollowPlan()
        _ = plan.start([seen], at: .zero)
        for second in 1...12 {
            let actions = plan.look(second < 7 ? [seen] : [], held: held, at: .seconds(second))
            #expect(actions.contains(.close(file)) == (second == 12), "at \(second) s")
        }
    }

    @Test("Of many logs that are there, those stay open to which something came last; each is read on")
    func many() {
        var plan = FollowPlan()
        _ = plan.start([], at: .zero)
        var (open, sizes): (Set<FollowPlan.File>, [FollowPlan.File: Int]) = ([], [:])
        func look(_ second: Int) -> [FollowPlan.Action] {
            let seen = sizes.keys.sorted { $0.birth < $1.birth }.map { file in
                FollowPlan.Seen(
                    path: "d/app\(file.birth).log", file: file, size: sizes[file] ?? 0,
                    beginning: Array("\(file.birth) ".utf8))
            }
            let held = seen.filter { open.contains($0.file) }.map {
                ($0.file, FollowPlan.Held(size: $0.size, beginning: Array("\($0.file.birth) ".utf8)))
            }
            let actions = plan.look(seen, held: Dictionary(uniqueKeysWithValues: held), at: .seconds(second))
            for action in actions {
                switch action {
                case .open(let file, let path, _), .hold(let file, let path):
                    open.insert(file)
                    plan.advance(file, path: path, to: sizes[file] ?? 0, at: .seconds(second))
                case .close(let file): open.remove(file)
                default: break
                }
            }
            return actions
        }
        for number in 1...300 {
            sizes[Self.file(UInt64(number))] = 10
            _ = look(number)
            #expect(open.count <= 64 + 6, "after \(number) files")
        }
        let first = Self.file(1)
        #expect(!open.contains(first))
        sizes[first] = 30
        #expect(look(301).contains(.open(first, path: "d/app1.log", at: 10)))
    }

    @Test("A file that could not be read is tried again when more has come")
    func failed() {
        var plan = FollowPlan()
        func seen(_ size: Int) -> [FollowPlan.Seen] {
            [.init(path: "d/app.log", file: Self.file(1), size: size, beginning: Array("a".utf8))]
        }
        _ = plan.start(seen(10), at: .zero)
        plan.fail(Self.file(1))
        #expect(plan.look(seen(10), held: [:], at: .seconds(1)).isEmpty)
        let open = FollowPlan.Action.open(Self.file(1), path: "d/app.log", at: 10)
        #expect(plan.look(seen(20), held: [:], at: .seconds(2)) == [open])
    }

    @Test("A copy of a log that was cut is read only beyond what was read of the log", arguments: [6, 8, 9])
    func copyOfCut(kilobytes: Int) {
        let (log, copy) = (Self.file(1), Self.file(2))
        let text = [UInt8](repeating: 65, count: FollowPlan.beginningSize)
        func seen(_ path: String, _ file: FollowPlan.File, _ size: Int) -> FollowPlan.Seen {
            FollowPlan.Seen(path: path, file: file, size: size, beginning: size == 0 ? [] : text)
        }
        var plan = FollowPlan()
        _ = plan.start([seen("/l/app.log", log, 8000)], at: .zero)
        let after = [seen("/l/app.log.1", copy, kilobytes * 1000), seen("/l/app.log", log, 0)]
        var opened: [FollowPlan.Action] = []
        for second in 1...3 {
            let held = [log: FollowPlan.Held(size: 0, beginning: [])]
            opened += plan.look(after, held: held, at: .seconds(second)).filter {
                if case .open = $0 { true } else { false }
            }
            if !opened.isEmpty { plan.advance(copy, path: "/l/app.log.1", to: 9000, at: .seconds(second)) }
        }
        let rest = FollowPlan.Action.open(copy, path: "/l/app.log.1", at: 8000)
        #expect(opened == (kilobytes > 8 ? [rest] : []))
    }

    private static let isLogrotateThere: Bool = {
        if FileManager.default.isExecutableFile(atPath: "/usr/sbin/logrotate") { return true }
        print("skipped: logrotate is not installed (Debian: logrotate)")
        return false
    }()

    @Test(
        "Every line is shown once while logrotate rotates the log", .secondTier,
        .enabled(if: isLogrotateThere),
        arguments: [
            "create", "create\ncompress\ndelaycompress", "nocreate", "copytruncate",
            "create\ndateext\ndateformat -%s",
        ])
    func logrotate(_ mode: String) async throws {
        let tool = try ToolProcess()
        let isFile = mode != "copytruncate"
        let outcome = try await tool.shell(
            """
            mkdir -m 700 logs; D=$PWD/logs; LOG=$D/app.log; : > $LOG
            printf '%s {\\n rotate 50\\n missingok\\n su root root\\n \(mode.replacing("%", with: "%%").replacing("\n", with: "\\n "))\\n}\\n' $LOG > conf
            [ $(id -u) = 0 ] || sed -i '/su root/d' conf
            chmod 644 conf
            "$HEARTWOOD" tail -n 0 -f \(isFile ? "$LOG" : "$D") > out 2> words & PID=$!
            sleep 1
            for i in $(seq 1 40); do
                seq -f "line $i %g" 20 >> $LOG; sleep 0.1
                case $i in 10|20|30) /usr/sbin/logrotate -f -s $PWD/state conf > rotated 2>&1 || cat rotated;; esac
            done
            for i in $(seq 1 50); do [ $(wc -l < out) -ge 800 ] && break; sleep 0.2; done
            kill -9 $PID; for i in $(seq 1 40); do seq -f "line $i %g" 20; done | cmp - out && echo same
            """)
        #expect(outcome.output == "same\n", "\(outcome.output) \(outcome.error)")
    }

    @Test(
        "Not a line is missing that `tail -F` shows beside it, while logrotate rotates the log in twenty rounds",
        .secondTier, .enabled(if: isLogrotateThere), arguments: ["create", "copytruncate", "remove"])
    func besideTail(_ mode: String) async throws {
        let tool = try ToolProcess()
        let outcome = try await tool.shell(
            """
            mkdir -m 700 logs; LOG=$PWD/logs/app.log; : > $LOG
            printf '%s {\\n rotate 50\\n missingok\\n su root root\\n \(mode)\\n}\\n' $LOG > conf
            [ $(id -u) = 0 ] || sed -i '/su root/d' conf
            chmod 644 conf
            "$HEARTWOOD" tail -n 0 -f $LOG > ours 2> words & OURS=$!
            tail -n 0 -F $LOG > theirs 2> /dev/null & THEIRS=$!
            sleep 1
            for i in $(seq 1 20); do
                # 10 ms to 1 s, each a quarter longer than the one before.
                PAUSE=$(awk "BEGIN { print 0.01 * 1.274 ^ ($i - 1) }")
                seq -f "line $i %g" 500 >> $LOG
                sleep $PAUSE; echo "line $i last" >> $LOG; sleep $PAUSE
                case \(mode) in
                remove) rm $LOG; : > $LOG;;
                *) /usr/sbin/logrotate -f -s $PWD/state conf > rotated 2>&1 || cat rotated;;
                esac
                sleep $PAUSE; echo "line $i first" >> $LOG; sleep $PAUSE
            done
            for i in $(seq 1 50); do [ $(wc -l < ours) -ge 10040 ] && break; sleep 0.2; done
            kill -9 $OURS $THEIRS; wait 2> /dev/null
            for i in $(seq 1 20); do
                echo "$(grep -c "^line $i " ours) $(grep -c "^line $i " theirs) $(grep "^line $i " ours | sort | uniq -d | wc -l)"
            done
            """)
        let rounds = outcome.output.split(separator: "\n").map {
            $0.split(separator: " ").compactMap { Int($0) }
        }
        print("\(mode), lines of ours and of tail in each round: \(rounds.map { "\($0[0]) \($0[1])" })")
        #expect(rounds.count == 20, "\(outcome.output) \(outcome.error)")
        for (number, round) in rounds.enumerated() where round.count == 3 {
            #expect(round[0] >= round[1] && round[2] == 0, "\(mode), round \(number + 1): \(round)")
        }
    }
}
