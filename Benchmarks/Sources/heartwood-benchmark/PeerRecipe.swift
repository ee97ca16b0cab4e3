import Foundation

/// How a program that does the same work with another library is built.
struct PeerRecipe {
    let name: String
    let file: String
    /// The compiler, its options, and the folders of headers.
    var compiler: [String]
    var libraries: [String] = []
    /// A header without which it cannot be built.
    var header: String?
    /// What to do where it cannot be built.
    let remedy: String

    /// Why it is left out; nil where its header is there.
    var missing: String? {
        guard let header, !FileManager.default.fileExists(atPath: header) else { return nil }
        return "\(header) is missing: the comparison with \(name) is left out; \(remedy)"
    }

    func command(from sources: String, in directory: String) -> [String] {
        compiler + ["-o", directory + "/" + name, sources + "/" + file] + libraries
    }

    /// The programs of this package; those whose library comes as source need the folder of `--peer-sources`.
    static func all(sources: String?) -> [PeerRecipe] {
        let cpp = ["g++", "-O3", "-std=c++17"]
        var all = [
            PeerRecipe(
                name: "write", file: "write.c", compiler: ["cc", "-O2"], remedy: "apt-get install gcc"),
            PeerRecipe(
                name: "sqlite", file: "sqlite.c", compiler: ["cc", "-O2"], libraries: ["-lsqlite3"],
                remedy: "apt-get install gcc libsqlite3-dev"),
            PeerRecipe(
                name: "spdlog", file: "spdlog.cpp",
                compiler: cpp + ["-DSPDLOG_COMPILED_LIB", "-DSPDLOG_FMT_EXTERNAL"],
                libraries: ["-lspdlog", "-lfmt", "-pthread"], header: "/usr/include/spdlog/spdlog.h",
                remedy: "apt-get install libspdlog-dev g++"),
        ]
        guard let sources else { return all }
        let (quill, fmtlog) = (sources + "/quill", sources + "/fmtlog")
        all.append(
            PeerRecipe(
                name: "quill", file: "quill.cpp", compiler: cpp + ["-I\(quill)/include"],
                libraries: ["-pthread"], header: quill + "/include/quill/Backend.h",
                remedy: "put the sources of quill into \(quill)"))
        all.append(
            PeerRecipe(
                name: "fmtlog", file: "fmtlog.cpp",
                compiler: cpp + ["-I\(fmtlog)", "-I\(fmtlog)/fmt/include", "-I\(sources)/fmt/include"],
                libraries: ["-pthread"], header: fmtlog + "/fmtlog.h",
                remedy: "put the sources of fmtlog into \(fmtlog), and those of fmt into \(fmtlog)/fmt"))
        return all
    }
}
