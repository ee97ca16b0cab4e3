import CSuiteSupport
import Foundation

/// Prints where all threads of a process are that is about to end.
enum StackReport {
    static func prepare() { hw_prepare_stacks() }

    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The stacks of all threads but the caller's, and the processes that this one has started, with theirs where gdb is there.
    static func writeAll() {
        let symbols = ProgramSymbols()
        let own = Int32(syscallThreadID())
        for thread in numbers(in: "/proc/self/task") where thread != own {
            let folder = "/proc/self/task/\(thread)/"
            write(
                "\n-- thread \(thread) \(content(folder + "comm")), in the kernel: \(content(folder + "wchan"))\n"
            )
            var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
            let count = Int(hw_stack_of_thread(thread, &addresses, 64))
            if count == 0 { write("   no answer\n") }
            // Two frames are the handler's and the kernel's.
            for address in addresses[..<count].dropFirst(2) {
                if let address { write("   \(symbols.name(of: UInt(bitPattern: address)))\n") }
            }
        }
        for child in descendants() {
            let command = content("/proc/\(child)/cmdline").replacing("\0", with: " ")
            write("\n-- process \(child): \(command.prefix(300))\n")
            run(["timeout", "60", "gdb", "-p", "\(child)", "-batch", "-ex", "thread apply all backtrace 32"])
        }
    }

    /// The processes that this one has started, and theirs.
    static func descendants() -> [Int32] {
        var parents: [Int32: Int32] = [:]
        for process in numbers(in: "/proc") {
            // The name is in parentheses, and may contain anything.
            let words =
                content("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            if words.count > 1 { parents[process] = Int32(words[1]) }
        }
        var found: [Int32] = []
        var due = [getpid()]
        while let parent = due.popLast() {
            let children = parents.filter { $0.value == parent }.keys.sorted()
            found += children
            due += children
        }
        return found
    }

    private static func numbers(in folder: String) -> [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { Int32($0) }
            .sorted()
    }

    private static func content(_ path: String) -> String {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    /// Runs a program, if it is there, and waits for it.
    private static func run(_ command: [String]) {
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        var process: pid_t = 0
        guard posix_spawnp(&process, command[0], &actions, nil, &words, environ) == 0 else { return }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func syscallThreadID() -> Int {
        // What the link's target ends with: PID/task/TID.
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
        return target.split(separator: "/").last.flatMap { Int($0) } ?? 0
    }
}

/// The names of this program's functions, also of those that are not exported.
private struct ProgramSymbols {
    private var symbols: [(start: UInt, name: Range<Int>)] = []
    private var image: [UInt8] = []
    private var names = 0

    init() {
        #if os(Linux)
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped)
        else { return }
        data.withUnsafeBytes { file in
            func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Int {
                offset + MemoryLayout<Number>.size <= file.count
                    ? Int(truncatingIfNeeded: file.loadUnaligned(fromByteOffset: offset, as: Number.self)) : 0
            }
            guard file.count > 64, file.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2]) else { return }
            let sections = number(0x28, UInt64.self)
            let size = number(0x3A, UInt16.self)
            for section in 0..<number(0x3C, UInt16.self) {
                let header = sections + section * size
                // SHT_SYMTAB; the section of its names is linked.
                guard number(header + 4, UInt32.self) == 2 else { continue }
                let names = number(sections + number(header + 0x28, UInt32.self) * size + 0x18, UInt64.self)
                let (table, length) = (number(header + 0x18, UInt64.self), number(header + 0x20, UInt64.self))
                for entry in stride(from: table, to: table + length, by: 24) {
                    // STT_FUNC
                    guard number(entry + 4, UInt8.self) & 0xF == 2, number(entry + 8, UInt64.self) != 0 else {
                        continue
                    }
                    let start = names + number(entry, UInt32.self)
                    guard start < file.count else { continue }
                    let end = file[start...].firstIndex(of: 0) ?? file.count
                    symbols.append(
                        (UInt(number(entry + 8, UInt64.self)), image.count..<image.count + end - start))
                    image += file[start..<end]
                }
            }
        }
        symbols.sort { $0.start < $1.start }
        #endif
    }

    func name(of address: UInt) -> String {
        var (path, exported): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        var offset: UInt = 0
        guard hw_place_of_address(UnsafeRawPointer(bitPattern: address), &path, &offset, &exported) != 0,
            let path
        else { return "0x" + String(address, radix: 16) }
        if let exported { return readable(String(cString: exported)) }
        let file = String(cString: path)
        if file.hasSuffix(".xctest"), let symbol = symbol(at: offset) {
            return readable(String(decoding: image[symbol.name], as: UTF8.self))
        }
        return "\(file) + 0x\(String(offset, radix: 16))"
    }

    private func symbol(at offset: UInt) -> (start: UInt, name: Range<Int>)? {
        var (low, high) = (0, symbols.count)
        while low < high {
            let middle = (low + high) / 2
            if symbols[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : symbols[low - 1]
    }

    private func readable(_ name: String) -> String {
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}

@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
