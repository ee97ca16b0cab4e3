import CHeartwood
import HeartwoodTestSupport

@testable import Heartwood

/// The system calls of one simulated process, with faults, limits, and a death at any of them.
///
/// Everything runs on one thread.
final class SimulatedKernel: FileKernel, @unchecked Sendable {  // a simulated world has one thread
    let disk: SimulatedDisk
    let process: Int32
    let user: UInt32
    /// How many descriptors the process may have.
    var descriptorLimit = 64
    /// After how many calls the process dies; nil for not at all.
    var callsToLive: Int?
    private(set) var isDead = false
    /// What a call fails with instead of being made.
    var fault: (SystemCall) -> Int32? = { _ in nil }
    /// Called before each call, so that another process can run meanwhile.
    var interrupt: () -> Void = {}
    /// Told of each change of a name or of the bytes of a file, and of each fault; nil for no story.
    var story: ((String) -> Void)?
    /// Faults that have happened.
    private(set) var faults = 0
    /// Files that this process has created.
    private(set) var created = 0
    /// How often the process waited for a lock.
    private(set) var waits = 0
    private var handles: [Int32: SimulatedHandle] = [:]
    /// When the program closed all descriptors, in steady time.
    private var closedAt: Duration?
    /// Whether it has, and its files have lost their locks with them.
    var hasClosed: Bool { closedAt != nil }
    /// A finished file that has its write permission for an attribute or a lock.
    private var raised: SimulatedFile?
    /// Whether it has taken the lock of a file.
    private(set) var hasLocked = false

    init(_ disk: SimulatedDisk, process: Int32, user: UInt32) {
        self.disk = disk
        self.process = process
        self.user = user
    }

    /// The process is killed: its descriptors are closed, its locks are free.
    func kill() {
        isDead = true
        // A file that was finished is so no more, and is processed again where that was not noted.
        raised?.processed = 0
        for number in handles.keys.sorted() {
            if let file = handles[number]?.file, file.hasPart { excuse(file) }
            release(number)
        }
    }

    private func release(_ number: Int32) {
        guard let handle = handles.removeValue(forKey: number) else { return }
        handle.file?.locks[ObjectIdentifier(handle)] = nil
        handle.folder?.locks[ObjectIdentifier(handle)] = nil
    }

    /// A part of a record may stay in a file for good.
    private func excuse(_ file: SimulatedFile) {
        file.excusedParts += 1
        file.hasPart = false
    }

    private func enter(_ call: SystemCall, _ descriptor: Int32? = nil) throws(SystemFailure) {
        interrupt()
        if isDead { throw SystemFailure(call, EIO) }
        if let left = callsToLive {
            callsToLive = left - 1
            if left <= 1 {
                kill()
                throw SystemFailure(call, EIO)
            }
        }
        if let number = fault(call) {
            faults += 1
            // What could not be cut off, or not be looked at before, may stay.
            if let descriptor, let file = handles[descriptor]?.file, file.hasPart { file.excusedParts += 1 }
            trace("\(process): \(call) fails with \(number)")
            throw SystemFailure(call, number)
        }
    }

    private func handle(_ number: Int32, _ call: SystemCall) throws(SystemFailure) -> SimulatedHandle {
        guard let handle = handles[number] else { throw SystemFailure(call, EBADF) }
        return handle
    }

    private func folder(_ number: Int32, _ call: SystemCall) throws(SystemFailure) -> SimulatedFolder {
        guard let folder = try handle(number, call).folder else { throw SystemFailure(call, ENOTDIR) }
        return folder
    }

    private func file(_ number: Int32, _ call: SystemCall) throws(SystemFailure) -> SimulatedFile {
        guard let file = try handle(number, call).file else { throw SystemFailure(call, EISDIR) }
        return file
    }

    private func add(_ handle: SimulatedHandle) throws(SystemFailure) -> Int32 {
        guard handles.count < descriptorLimit else { throw SystemFailure(.open, EMFILE) }
        var number: Int32 = 3
        while handles[number] != nil { number += 1 }
        handles[number] = handle
        trace("\(process) opens number \(number)")
        return number
    }

    private func mayChange(_ folder: SimulatedFolder) -> Bool {
        user == 0 || folder.owner == user || folder.mode & 0o002 != 0
    }

    /// The program has given up the privileges that its directory asks for.
    private func search(_ call: SystemCall) throws(SystemFailure) {
        if disk.isUnsearchable { throw SystemFailure(call, EACCES) }
    }

    private func makeFile(
        _ kind: FileStatus.Kind = .regular, mode: UInt32 = 0o600, _ call: SystemCall
    ) throws(SystemFailure) -> SimulatedFile {
        if disk.hasNoInodes { throw SystemFailure(call, ENOSPC) }
        let file = disk.makeFile(kind, owner: user, mode: mode)
        file.links = 1
        return file
    }

    /// The program closes all descriptors, as daemons do, and may open files of its own, which get the
    /// numbers; locks end with the descriptors.
    func closeAll(taking count: Int) {
        trace("\(process) closes its descriptors, and opens \(count) files of its own")
        closedAt = disk.clock.uptime()
        for number in handles.keys.sorted() {
            if let file = handles[number]?.file, file.hasPart { excuse(file) }
            release(number)
        }
        for _ in 0..<count {
            let file = disk.makeFile(owner: user)
            file.isForeign = true
            (file.isProgramData, file.links) = (true, 1)
            _ = try? add(SimulatedHandle(file: file, isWritable: true))
        }
    }

    /// What the library may do with a number within a lease only, since it is a file of the program by now.
    private func spare(_ number: Int32, _ verb: String) {
        guard handles[number]?.file?.isProgramData == true else { return }
        violate("\(verb) the program's own file, which has the number \(number)")
    }

    /// Whether the logger need not have noticed that its descriptors were closed.
    private var mayBeUnnoticed: Bool {
        guard let closedAt, disk.lookInterval > .zero else { return false }
        return disk.clock.uptime() - closedAt < disk.lookInterval
    }

    private func trace(_ text: @autoclosure () -> String) { story?(text()) }

    private func violate(_ text: String) { disk.violations.append("process \(process): \(text)") }

    // MARK: Who asks

    func pause(_ duration: Duration) {
        waits += 1
        disk.clock.advance(by: duration)
    }

    // MARK: Descriptors

    func openDirectory(_ path: String) throws(SystemFailure) -> Int32 {
        try enter(.open)
        try search(.open)
        guard path == "/logs", let folder = disk.folder else { throw SystemFailure(.open, ENOENT) }
        return try add(SimulatedHandle(folder: folder))
    }

    func openFile(
        _ directory: Int32, _ name: String, _ flags: Int32, mode: UInt32
    ) throws(SystemFailure) -> Int32 {
        try enter(.open)
        // A directory above, of which nothing but that is asked.
        if name.hasPrefix("..") { return try add(SimulatedHandle()) }
        let folder = try folder(directory, .open)
        try search(.open)
        if name == "." { return try add(SimulatedHandle(folder: folder)) }
        let isWriting = flags & (O_WRONLY | O_RDWR) != 0
        if let file = folder.entries[name] {
            if flags & O_EXCL != 0 { throw SystemFailure(.open, EEXIST) }
            if file.kind == .symbolicLink { throw SystemFailure(.open, ELOOP) }
            if file.kind == .directory, isWriting { throw SystemFailure(.open, EISDIR) }
            if file.isImmutable, isWriting { throw SystemFailure(.open, EPERM) }
            let bits = file.owner == user ? file.mode >> 6 : file.mode
            let needed: UInt32 = isWriting ? 0o6 : 0o4
            guard user == 0 || bits & needed == needed else { throw SystemFailure(.open, EACCES) }
            return try add(SimulatedHandle(file: file, isWritable: isWriting))
        }
        guard flags & O_CREAT != 0, !folder.isRemoved else { throw SystemFailure(.open, ENOENT) }
        guard mayChange(folder) else { throw SystemFailure(.open, EACCES) }
        guard handles.count < descriptorLimit else { throw SystemFailure(.open, EMFILE) }
        let file = try makeFile(mode: mode, .open)
        file.isLog = !name.hasPrefix(".")
        folder.entries[name] = file
        created += file.isLog ? 1 : 0
        // Records that wait for room may come to it after those of later files.
        noteWriter(file)
        trace("\(process) creates \(name), file \(file.number)")
        return try add(SimulatedHandle(file: file, isWritable: true))
    }

    func close(_ descriptor: Int32) {
        spare(descriptor, "closed")
        trace("\(process) closes number \(descriptor)")
        if !isDead { release(descriptor) }
    }

    private func noteWriter(_ file: SimulatedFile) {
        guard file.lastWriter?.process != process, !disk.isShared || file.lastWriter == nil else { return }
        disk.beginnings += 1
        file.lastWriter = (process, disk.beginnings)
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int {
        let count: Int
        if let left = callsToLive, left <= 1, let handle = handles[descriptor], let file = handle.file {
            // Killed in the middle of the call.
            file.data.append(contentsOf: bytes.prefix(bytes.count / 2))
            file.hasPart = true
            trace("\(process) is killed as it writes \(bytes.count) bytes to file \(file.number)")
            try enter(.write)
            return 0
        }
        try enter(.write, descriptor)
        let handle = try handle(descriptor, .write)
        guard let file = handle.file, handle.isWritable else { throw SystemFailure(.write, EBADF) }
        let room = max(0, disk.capacity - disk.used)
        count = min(bytes.count, room)
        if count == 0, bytes.count > 0 { throw SystemFailure(.write, ENOSPC) }
        if file.isProgramData {
            // What is written within a lease goes where the number leads.
            if !mayBeUnnoticed { spare(descriptor, "wrote to") }
        } else if file.isForeign {
            violate("wrote to a file of others")
        }
        if disk.modeRefusal == nil, file.isLog, !file.isTampered, !hasClosed {
            if file.processed > 0 { violate("wrote to a file that was processed already") }
            if file.mode & 0o222 == 0 { violate("wrote to file \(file.number), which is finished") }
        }
        if file.isLog, file.links == 0, !disk.mayBeUnnoticed(file) {
            violate("wrote to file \(file.number), which is removed")
        }
        file.hasPart = count < bytes.count
        noteWriter(file)
        trace(
            "\(process) writes \(count) of \(bytes.count) to file \(file.number) at \(file.data.count): \(String(decoding: bytes.prefix(count), as: UTF8.self).debugDescription)"
        )
        file.data.append(contentsOf: bytes.prefix(count))
        file.modified = disk.clock.now()
        return count
    }

    func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int {
        try enter(.read, descriptor)
        let file = try file(descriptor, .read)
        guard offset < file.data.count else { return 0 }
        let part = file.data[offset..<min(file.data.count, offset + bytes.count)]
        bytes.copyBytes(from: part)
        return part.count
    }

    func truncate(_ descriptor: Int32, to length: Int) throws(SystemFailure) {
        try enter(.truncate, descriptor)
        spare(descriptor, "cut")
        let file = try file(descriptor, .truncate)
        if file.isForeign { violate("cut a file of others") }
        trace("\(process) cuts file \(file.number) of \(file.data.count) to \(length)")
        file.data.removeLast(max(0, file.data.count - length))
        file.data += [UInt8](repeating: 0, count: max(0, length - file.data.count))
        file.hasPart = false
    }

    func sync(_ descriptor: Int32) throws(SystemFailure) {
        try enter(.sync)
        _ = try handle(descriptor, .sync)
    }

    func tryLock(_ descriptor: Int32, shared: Bool) throws(SystemFailure) -> Bool {
        try enter(.lock)
        spare(descriptor, "locked")
        let handle = try handle(descriptor, .lock)
        if let number = disk.lockRefusal, handle.file != nil || !disk.locksFolders {
            throw SystemFailure(.lock, number)
        }
        if disk.locksNeedWriting, handle.file != nil, !handle.isWritable, !shared {
            throw SystemFailure(.lock, EBADF)
        }
        let key = ObjectIdentifier(handle)
        let locks = handle.file?.locks ?? handle.folder?.locks ?? [:]
        for (other, isShared) in locks where other != key {
            if !(shared && isShared) { return false }
        }
        handle.file?.locks[key] = shared
        handle.folder?.locks[key] = shared
        if handle.file != nil { hasLocked = true }
        return true
    }

    func unlock(_ descriptor: Int32) {
        spare(descriptor, "unlocked")
        guard !isDead, let handle = handles[descriptor] else { return }
        handle.file?.locks[ObjectIdentifier(handle)] = nil
        handle.folder?.locks[ObjectIdentifier(handle)] = nil
    }

    // MARK: Status

    func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus {
        // Of a number that is another file's, the system tells always.
        if let file = handles[descriptor]?.file, file.isProgramData { return file.status }
        try enter(.status, descriptor)
        let handle = try handle(descriptor, .status)
        if let file = handle.file { return file.status }
        guard let folder = handle.folder else { throw SystemFailure(.status, EBADF) }
        return SimulatedKernel.status(folder)
    }

    private static func status(_ folder: SimulatedFolder) -> FileStatus {
        FileStatus(
            identity: .init(device: 1, inode: folder.number), kind: .directory, size: 0,
            links: folder.isRemoved ? 0 : 2, owner: folder.owner, mode: folder.mode,
            modifiedNanoseconds: Int64(folder.changes))
    }

    func status(_ directory: Int32, _ name: String) throws(SystemFailure) -> FileStatus {
        try enter(.status)
        let folder = try folder(directory, .status)
        try search(.status)
        guard let file = folder.entries[name] else { throw SystemFailure(.status, ENOENT) }
        return file.status
    }

    func status(path: String) throws(SystemFailure) -> FileStatus {
        try enter(.status)
        try search(.status)
        guard let folder = disk.folder else { throw SystemFailure(.status, ENOENT) }
        if path == "/logs" || path == "/logs/." { return SimulatedKernel.status(folder) }
        guard path.hasPrefix("/logs/"), let file = folder.entries[String(path.dropFirst(6))] else {
            throw SystemFailure(.status, ENOENT)
        }
        return file.status
    }

    func birthNanoseconds(_ descriptor: Int32) -> Int64? { handles[descriptor]?.file?.birth.nanoseconds }

    func changeMode(_ descriptor: Int32, to mode: UInt32) throws(SystemFailure) {
        try enter(.changeMode)
        if let number = disk.modeRefusal { throw SystemFailure(.changeMode, number) }
        let handle = try handle(descriptor, .changeMode)
        if let file = handle.file, file.mode != mode {
            raised = file.mode & 0o200 == 0 ? file : nil
            trace("\(process) gives file \(file.number) the mode \(String(mode, radix: 8))")
        }
        handle.file?.mode = mode
        handle.folder?.mode = mode
    }

    func attribute(_ name: String, of descriptor: Int32) -> [UInt8]? {
        guard !isDead, let handle = handles[descriptor] else { return nil }
        return handle.file?.attributes[name] ?? handle.folder?.attributes[name]
    }

    func setAttribute(
        _ name: String, to value: [UInt8]?, of descriptor: Int32
    ) throws(SystemFailure) {
        try enter(.setAttribute)
        if let number = disk.attributeRefusal { throw SystemFailure(.setAttribute, number) }
        let handle = try handle(descriptor, .setAttribute)
        handle.folder?.attributes[name] = value
        guard let file = handle.file else { return }
        guard user == 0 || file.owner == user && file.mode & 0o200 != 0 else {
            throw SystemFailure(.setAttribute, EACCES)
        }
        file.attributes[name] = value
    }

    func setModified(_ descriptor: Int32, nanoseconds: Int64) throws(SystemFailure) {
        try enter(.setTime)
        try file(descriptor, .setTime).modified = LogTimestamp(nanoseconds: nanoseconds)
    }

    func freeSpace(_ descriptor: Int32) throws(SystemFailure) -> (free: Int, total: Int) {
        try enter(.freeSpace)
        return (max(0, disk.capacity - disk.used), disk.capacity)
    }

    func fileSizeLimit() -> Int? { nil }

    // MARK: Names

    /// Checks that a name may be taken from a file by this process.
    private func checkRemoval(
        _ name: String, _ file: SimulatedFile, _ call: SystemCall, _ folder: SimulatedFolder, _ verb: String
    ) throws(SystemFailure) {
        guard mayChange(folder) else { throw SystemFailure(call, EACCES) }
        if file.isImmutable { throw SystemFailure(call, EPERM) }
        if file.isForeign { violate("\(verb) \(name), which belongs to others") }
        guard file.kind == .regular, !name.hasPrefix("."), file.links == 1 else { return }
        let mine = Set(handles.values.map { ObjectIdentifier($0) })
        if file.locks.keys.contains(where: { !mine.contains($0) }) {
            violate("\(verb) \(name), which another process writes to")
        }
        if file.owner != user { violate("\(verb) \(name), which belongs to another user") }
    }

    func rename(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try enter(.rename)
        let folder = try folder(directory, .rename)
        try search(.rename)
        guard let file = folder.entries[old] else { throw SystemFailure(.rename, ENOENT) }
        guard mayChange(folder) else { throw SystemFailure(.rename, EACCES) }
        if let there = folder.entries[new] {
            if there === file { return }
            if there.kind == .directory { throw SystemFailure(.rename, EISDIR) }
            try checkRemoval(new, there, .rename, folder, "replaced")
            there.links -= 1
        }
        folder.entries[old] = nil
        folder.entries[new] = file
        trace("\(process) renames \(old) to \(new)")
    }

    func link(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try enter(.link)
        let folder = try folder(directory, .link)
        try search(.link)
        guard let file = folder.entries[old] else { throw SystemFailure(.link, ENOENT) }
        guard folder.entries[new] == nil else { throw SystemFailure(.link, EEXIST) }
        guard mayChange(folder), !folder.isRemoved else { throw SystemFailure(.link, EACCES) }
        if file.isForeign { violate("linked \(old), which belongs to others") }
        folder.entries[new] = file
        file.links += 1
        trace("\(process) links \(old) to \(new)")
    }

    func symlink(_ directory: Int32, _ name: String, to target: String) throws(SystemFailure) {
        try enter(.symlink)
        let folder = try folder(directory, .symlink)
        try search(.symlink)
        guard folder.entries[name] == nil else { throw SystemFailure(.symlink, EEXIST) }
        guard mayChange(folder), !folder.isRemoved else { throw SystemFailure(.symlink, EACCES) }
        folder.entries[name] = try makeFile(.symbolicLink, .symlink)
    }

    func unlink(_ directory: Int32, _ name: String) throws(SystemFailure) {
        try enter(.unlink)
        let folder = try folder(directory, .unlink)
        try search(.unlink)
        guard let file = folder.entries[name] else { throw SystemFailure(.unlink, ENOENT) }
        if file.kind == .directory { throw SystemFailure(.unlink, EISDIR) }
        try checkRemoval(name, file, .unlink, folder, "removed")
        checkOrder(name, file, folder)
        trace("\(process) unlinks \(name)")
        folder.entries[name] = nil
        file.links -= 1
    }

    /// The lines that are kept are the newest: no file stays that a process began to write to earlier, but one that is
    /// written.
    private func checkOrder(_ name: String, _ file: SimulatedFile, _ folder: SimulatedFolder) {
        guard disk.isOrderKnown(), file.isLog, file.processed == 0, file.links == 1, !file.isTampered,
            !file.data.isEmpty, let begun = file.lastWriter?.begun
        else { return }
        for (kept, other) in folder.entries
        where other !== file && other.isLog && !other.isTampered && other.locks.isEmpty && !other.data.isEmpty
            && !other.isImmutable && other.lastWriter.map({ $0.begun < begun }) ?? false
        {
            violate("removed \(name), and kept the older lines of \(kept)")
        }
    }

    func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure) {
        try enter(.makeDirectory)
        guard disk.folder == nil else { throw SystemFailure(.makeDirectory, EEXIST) }
        disk.makeFolder(owner: user, mode: mode)
    }

    // Files make none of these calls.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure)
        -> Int
    {
        throw SystemFailure(.write, ENOSYS)
    }
    func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(SystemFailure) {
        throw SystemFailure(.makeDirectory, ENOSYS)
    }
    func removeDirectory(_ directory: Int32, _ name: String) throws(SystemFailure) {
        throw SystemFailure(.unlink, ENOSYS)
    }
    func move(_ directory: Int32, _ name: String, into other: Int32) throws(SystemFailure) {
        throw SystemFailure(.rename, ENOSYS)
    }

    func names(_ directory: Int32) throws(SystemFailure) -> [String] {
        try enter(.list)
        let folder = try folder(directory, .list)
        try search(.list)
        return folder.entries.keys.sorted()
    }
}
