/// The location of a call in the source; one object per location, kept forever.
final class CallSite: Sendable {
    let id: UInt32
    /// `Module/File.swift`, as `#fileID` gives it.
    let file: String
    /// The file's name without folders and ending.
    let fileName: String
    let function: String
    let line: Int
    /// `File.swift:42` in UTF-8, escaped, ready for formatters; nothing where the file is not known.
    ///
    /// In memory of its own, so that formatters count no references; it ends with the object. A few bytes
    /// after it can be read.
    nonisolated(unsafe) let place: UnsafeRawBufferPointer
    /// The file and the function as the insides of JSON strings; in memory as ``place`` is.
    nonisolated(unsafe) let fileInJSON: UnsafeRawBufferPointer
    nonisolated(unsafe) let functionInJSON: UnsafeRawBufferPointer
    /// `,"file":"…","line":42,"function":"…"`, or nothing where the file is not known; in memory as ``place``
    /// is.
    nonisolated(unsafe) let membersInJSON: UnsafeRawBufferPointer

    init(id: UInt32, file: String, function: String, line: Int) {
        self.id = id
        self.file = file
        self.function = function
        self.line = line
        let last =
            file.utf8.lastIndex(of: UInt8(ascii: "/")).map { file[file.index(after: $0)...] } ?? file[...]
        // A name that begins with its only dot has no ending.
        let dot = last.lastIndex(of: ".")
        fileName = String(dot == nil || dot == last.startIndex ? last : last[..<(dot ?? last.endIndex)])
        place = Self.bytes { if !file.isEmpty { $0.appendEscaped("\(last):\(line)") } }
        fileInJSON = Self.bytes { $0.append(insideOfJSON: file) }
        functionInJSON = Self.bytes { $0.append(insideOfJSON: function) }
        membersInJSON = Self.bytes {
            if file.isEmpty { return }
            $0.append(",\"file\":" as StaticString)
            $0.append(json: file)
            $0.append(",\"line\":" as StaticString)
            $0.append(line)
            $0.append(",\"function\":" as StaticString)
            $0.append(json: function)
        }
    }

    deinit {
        place.deallocate()
        fileInJSON.deallocate()
        functionInJSON.deallocate()
        membersInJSON.deallocate()
    }

    /// What `write` writes, in memory that `deinit` frees.
    private static func bytes(_ write: (inout LogBuffer) -> Void) -> UnsafeRawBufferPointer {
        var buffer = LogBuffer()
        write(&buffer)
        return UnsafeRawBufferPointer(start: buffer.copyReadableBeyond(), count: buffer.count)
    }

    static let unknown = CallSite(id: .max, file: "", function: "", line: 0)
}
