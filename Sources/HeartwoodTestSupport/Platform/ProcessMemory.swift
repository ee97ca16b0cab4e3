#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The memory of this process.
enum ProcessMemory {
    /// The bytes that are in memory at the moment; 0 where the system does not tell.
    static var resident: Int {
        #if canImport(Darwin)
        var info = mach_task_basic_info()
        let words = MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size
        var count = mach_msg_type_number_t(words)
        let result = withUnsafeMutablePointer(to: &info) { place in
            place.withMemoryRebound(to: integer_t.self, capacity: words) {
                task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        return result == KERN_SUCCESS ? Int(info.resident_size) : 0
        #else
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 200)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
        #endif
    }
}
