#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The home directory of the user, for paths that begin with `~`.
package enum HomeDirectory {
    /// The directory that `$HOME` names, or the one in the user database; nil where neither has an absolute
    /// path.
    package static var path: String? {
        if let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") { return home }
        guard let entry = getpwuid(geteuid()), let directory = entry.pointee.pw_dir else { return nil }
        let home = String(cString: directory)
        return home.hasPrefix("/") ? home : nil
    }
}

extension String {
    /// The path as it is from now on, wherever the program goes: `~/` is the home directory, and what is
    /// relative is in `base`, or in the working directory.
    ///
    /// Every path that a program gives goes through here at once. An empty path stays empty.
    package func absolutePath(in base: String? = nil) -> String {
        // By bytes: a slash before a combining character is no character of its own.
        if isEmpty || utf8.first == UInt8(ascii: "/") { return self }
        if self == "~" || utf8.starts(with: "~/".utf8), let home = HomeDirectory.path {
            return home + String(Substring(utf8.dropFirst()))
        }
        guard let base = base ?? String.workingDirectory else { return self }
        if self == "." { return base }
        let rest = utf8.starts(with: "./".utf8) ? String(Substring(utf8.dropFirst(2))) : self
        return base == "/" ? "/" + rest : base + "/" + rest
    }

    /// The absolute path of the directory, and the name in it.
    package var folderAndName: (folder: String, name: String) {
        let path = absolutePath()
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        return (
            slash == path.startIndex ? "/" : String(path[..<slash]),
            String(path[path.utf8.index(after: slash)...])
        )
    }

    /// The working directory; nil where it was removed.
    package static var workingDirectory: String? {
        guard let text = getcwd(nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
