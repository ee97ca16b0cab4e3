/// The logger that a part of a journal waits for, as its key says.
package enum JournalTarget: Hashable, Sendable, CustomStringConvertible {
    /// A file logger of this directory, whose naming has this application.
    case file(directory: String, application: String)
    /// Another kind, or a key of another version.
    case other(String)

    /// Reads a key.
    init(key: String) {
        let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
        // An application's name may have a colon, a directory's may, too: the last slash comes before the name's.
        if parts.count == 2, parts[0] == "file", let slash = parts[1].lastIndex(of: "/"),
            let colon = parts[1][slash...].firstIndex(of: ":")
        {
            self = .file(
                directory: String(parts[1][..<colon]),
                application: String(parts[1][parts[1].index(after: colon)...]))
        } else {
            self = .other(key)
        }
    }

    package var description: String {
        switch self {
        case .file(let directory, let application): "what “\(application)” logs to \(directory)"
        case .other(let key): key
        }
    }
}
