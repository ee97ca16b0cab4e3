import CHeartwood

/// Memory of whole pages, from the kernel.
package enum MemoryMap {
    /// The size of a page of memory, in bytes; at least 4 KiB.
    package static let pageSize = max(4096, Int(getpagesize()))

    /// Memory of zeros, of this process alone; nil if the system has none left.
    package static func fresh(_ size: Int) -> UnsafeMutableRawPointer? {
        map(nil, size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    }

    /// Memory of zeros that the program was loaded with, for the first that finds no other; nil for the next.
    package static func reserve(_ size: Int) -> UnsafeMutableRawPointer? { hw_memory_reserve(size) }

    /// A file, shared with everybody who maps it; nil where it cannot be mapped, and `errno` says why.
    package static func shared(_ descriptor: Int32, size: Int) -> UnsafeMutableRawPointer? {
        map(nil, size, MAP_SHARED, descriptor, 0)
    }

    /// Puts a part of a file, shared, in the place of other memory; false where that failed.
    package static func replace(
        _ place: UnsafeMutableRawPointer, _ size: Int, by descriptor: Int32, from offset: Int
    ) -> Bool {
        map(place, size, MAP_SHARED | MAP_FIXED | present, descriptor, offset) != nil
    }

    /// Puts zeros, of this process alone, in the place of other memory; false where that failed.
    package static func freshen(_ place: UnsafeMutableRawPointer, _ size: Int) -> Bool {
        map(place, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != nil
    }

    /// Has the kernel bring the pages in at once.
    #if os(Linux)
    private static let present = Int32(MAP_POPULATE)
    #else
    private static let present: Int32 = 0
    #endif

    private static func map(
        _ place: UnsafeMutableRawPointer?, _ size: Int, _ flags: Int32, _ descriptor: Int32, _ offset: Int
    ) -> UnsafeMutableRawPointer? {
        let memory = mmap(place, size, PROT_READ | PROT_WRITE, flags, descriptor, off_t(offset))
        return memory == UnsafeMutableRawPointer(bitPattern: -1) ? nil : memory
    }
}
