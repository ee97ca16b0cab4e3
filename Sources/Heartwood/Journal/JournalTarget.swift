/// The logger that a part of a journal waits for, as its key says.
package struct JournalTarget: Hashable, Sendable, CustomStringConvertible {
    /// Where the logger writes to.
    package enum Place: Hashable, Sendable {
        /// A file logger of this directory, whose naming has this application.
        case file(directory: String, application: String)
        /// Another kind, or a key of another version.
        case other(String)
    }

    /// Where the logger writes to.
    package let place: Place
    /// The class of its formatter, as far as it is known.
    package let formatter: String
    private let key: JournalKey

    /// Reads a key.
    init(_ key: JournalKey) {
        self.key = key
        formatter = key.formatter
        let parts = key.place.split(separator: ":", maxSplits: 1).map(String.init)
        // An application's name may have a colon, a directory's may, too: the last slash comes before the name's.
        if parts.count == 2, parts[0] == "file", let slash = parts[1].lastIndex(of: "/"),
            let colon = parts[1][slash...].firstIndex(of: ":")
        {
            place = .file(
                directory: String(parts[1][..<colon]),
                application: String(parts[1][parts[1].index(after: colon)...]))
        } else {
            place = .other(key.place)
        }
    }

    package var description: String {
        switch place {
        case .file(let directory, let application): "messages of “\(application)” in \(directory)"
        case .other(let key): key
        }
    }
}
