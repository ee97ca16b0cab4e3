import CHeartwood
import Heartwood

/// A disk that loses its power after so many calls: what it was not told to keep it may have kept or not.
///
/// 1. A directory has the names of some moment since it was synchronized last. A rename is one change, as on every file
///    system with a journal; two directories need not be of the same moment.
/// 2. A file has the bytes of its last synchronization; any beginning of what was written since may have replaced them,
///    and where its length was kept and its bytes were not, there are zeros.
package final class PowerLoss: DiskFaults {
    private struct State {
        var callsLeft: Int
        /// The names of each directory, at its last synchronization and after each change since.
        var names: [FileStatus.Identity: [[String: FileStatus.Identity]]] = [:]
        /// The bytes of each file at its last synchronization.
        var bytes: [FileStatus.Identity: [UInt8]] = [:]
        /// Everything that ever had a name, open, so that it is there without one.
        var entries: [FileStatus.Identity: (descriptor: Int32, isDirectory: Bool)] = [:]
    }

    private let calls = SystemCalls()
    private let root: FileStatus.Identity
    private let state: Locked<State>

    /// Cuts the power after each call that `run` makes in an empty directory, one after the other, and has `look` at what
    /// may be left; returns how many calls there are.
    package static func sweep<Course>(
        looks: Int, _ run: (_ path: String, _ disk: PowerLoss) -> Course,
        look: (_ path: String, _ call: Int, Course) throws -> Void
    ) throws -> Int {
        var generator = SystemRandomNumberGenerator()
        var call = 0
        while true {
            let scratch = Scratch(inMemory: true)
            let disk = try PowerLoss(in: scratch.path, after: call)
            let course = run(scratch.path, disk)
            for _ in 0..<looks {
                let left = Scratch(inMemory: true)
                try disk.restore(into: left.path, &generator)
                try look(left.path, call, course)
            }
            if !disk.isOff { return call }
            call += 1
        }
    }

    /// Watches what happens in a directory that is empty now.
    private init(in path: String, after callsLeft: Int) throws {
        let directory = try calls.openDirectory(path)
        root = try calls.status(directory).identity
        var state = State(callsLeft: callsLeft)
        state.names[root] = [[:]]
        state.entries[root] = (directory, true)
        self.state = Locked(state)
    }

    deinit { state.withLock { $0.entries.values.forEach { calls.close($0.descriptor) } } }

    /// Whether the power is off: each call fails.
    package var isOff: Bool { state.withLock { $0.callsLeft < 0 } }

    private func next() -> Int32 {
        state.withLock { state in
            state.callsLeft -= 1
            return state.callsLeft < 0 ? EIO : 0
        }
    }

    package func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
        next() == 0 ? nil : (0, EIO)
    }
    package func change() -> Int32 { next() }
    package func read() -> Int32 { isOff ? EIO : 0 }
    package func synchronize() -> Int32 { next() }
    package func synchronizeNames() -> Int32 { next() }

    package func changedNames(of directory: Int32) {
        state.withLock { state in
            guard let identity = try? calls.status(directory).identity,
                let names = try? calls.names(directory)
            else { return }
            var moment: [String: FileStatus.Identity] = [:]
            for name in names {
                guard let status = try? calls.status(directory, name) else { continue }
                moment[name] = status.identity
                if state.entries[status.identity] == nil,
                    let descriptor = try? calls.openFile(directory, name, O_RDONLY)
                {
                    state.entries[status.identity] = (descriptor, status.kind == .directory)
                }
            }
            state.names[identity, default: [[:]]].append(moment)
        }
    }

    package func synchronized(_ descriptor: Int32) {
        state.withLock { state in
            guard let status = try? calls.status(descriptor) else { return }
            if status.kind == .directory {
                if let last = state.names[status.identity]?.last { state.names[status.identity] = [last] }
            } else if let entry = state.entries[status.identity] {
                // The descriptor itself may be for writing alone.
                state.bytes[status.identity] = content(of: entry.descriptor)
            }
        }
    }

    private func content(of file: Int32) -> [UInt8] {
        ((try? calls.status(file).size).flatMap { try? calls.bytes($0, of: file, at: 0) }) ?? []
    }

    /// Makes what is found in the directory when the power is back, in another one.
    private func restore(into path: String, _ generator: inout some RandomNumberGenerator) throws {
        let state = state.withLock { $0 }
        try restore(root, state, into: path, &generator)
    }

    private func restore(
        _ directory: FileStatus.Identity, _ state: State, into path: String,
        _ generator: inout some RandomNumberGenerator
    ) throws {
        let place = try calls.openDirectory(path)
        defer { calls.close(place) }
        let names = state.names[directory]?.randomElement(using: &generator) ?? [:]
        for (name, identity) in names.sorted(by: { $0.key < $1.key }) {
            guard let entry = state.entries[identity] else { continue }
            if entry.isDirectory {
                try calls.makeDirectory(place, name, mode: 0o700)
                try restore(identity, state, into: path + "/" + name, &generator)
                continue
            }
            let file = try calls.openFile(place, name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            defer { calls.close(file) }
            let bytes = mix(state.bytes[identity] ?? [], content(of: entry.descriptor), &generator)
            try calls.writeAll(file, bytes)
        }
    }

    private func mix(
        _ kept: [UInt8], _ new: [UInt8], _ generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        let replaced =
            [0, new.count, Int.random(in: 0...new.count, using: &generator)]
            .randomElement(using: &generator) ?? 0
        let length = Bool.random(using: &generator) ? kept.count : new.count
        let bytes = new.prefix(replaced) + kept.dropFirst(replaced)
        return bytes.prefix(length) + [UInt8](repeating: 0, count: max(0, length - bytes.count))
    }
}
