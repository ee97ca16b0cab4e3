// All that differs between systems, and the calls that C's headers alone do not give to Swift.

import CHeartwood
import Heartwood

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// System calls in a form that the rest of the tool can use on every system.
extension SystemCalls {
    /// Opens a file to be mapped, made for its owner alone where it is missing; negative on failure, with the
    /// reason in `errno`.
    static func openShared(_ path: String) -> Int32 {
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Makes a directory for temporary files that only the user may read; `remedy` says what to do where
    /// that is not possible.
    ///
    /// - Throws: `LogError` where that is not possible.
    static func makeTemporaryDirectory(
        _ name: String = "heartwood-", or remedy: String = ""
    ) throws -> Directory {
        let parent = ProcessEnvironment.all["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var path = Array("\(parent)/\(name)XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw LogError(.file, "cannot create a temporary directory\(remedy)", place: parent, cause: errno)
        }
        return try Directory(String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Takes a file for this process, until it is closed; false where another has it.
    static func lock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Opens a file's lock, before it is closed.
    ///
    /// To close it alone would leave the lock to a child that was forked and has not become its program yet.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Gives a file a size and the room for it, so that writing to its memory never fails; false where there
    /// is no room.
    static func allocate(_ descriptor: Int32, _ size: Int) -> Bool {
        hw_allocate(descriptor, Int64(size)) == 0
    }

    /// Maps a file, shared with whoever opens it later; nil where that is not possible.
    static func map(_ descriptor: Int32, _ size: Int) -> UnsafeMutableRawPointer? {
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return memory == UnsafeMutableRawPointer(bitPattern: -1) ? nil : memory
    }

    /// Makes sure that no file or pipe gets the number of a standard stream that the caller has closed.
    ///
    /// What is opened instead can be neither read (0) nor written (1, 2), so that its use fails as it should.
    static func reserveStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all bytes, however long it takes and in however many pieces, without a signal where the reader
    /// has gone.
    ///
    /// - Returns: 0, or the `errno` of what ended it.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        func waitForReader() -> Bool {
            _ = hw_wait_writable(descriptor, -1)
            return true
        }
        return writeWhole(bytes, whenBlocked: waitForReader) { rest, _ throws(SystemFailure) in
            try SystemCalls().write(descriptor, rest, quietly: true)
        }.failure?.number ?? 0
    }

    /// A pipe whose ends no other program inherits; nil where the system has none left.
    static func makePipe() -> (reader: Int32, writer: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard hw_pipe(&ends) == 0 else { return nil }
        return (ends[0], ends[1])
    }

    /// A pipe for ``hw_tool_pass_signal(_:_:_:)``, whose ends do not block; nil where the system has none
    /// left.
    static func makeSignalPipe() -> (reader: Int32, writer: Int32)? {
        guard let pipe = makePipe() else { return nil }
        for end in [pipe.reader, pipe.writer] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
        return pipe
    }

    /// Ends the process as the signal would have without a handler.
    static func endProcess(by number: Int32) {
        signal(number, SIG_DFL)
        // Whoever watches for a signal may have blocked it.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        kill(getpid(), number)
    }
}
