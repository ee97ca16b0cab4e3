/// Paths as people write them.
enum PathText {
    struct Problem: Error { let text: String }

    /// Puts in the values of `${NAME}` and the home directory.
    static func expanded(_ text: String, _ variables: [String: String]) -> Result<String, Problem> {
        var output = ""
        var rest = text[...]
        if rest.hasPrefix("~/") || rest == "~" {
            guard let home = variables["HOME"], !home.isEmpty else {
                return .failure(Problem(text: "cannot expand “~”: the environment variable HOME is not set"))
            }
            output = home
            rest = rest.dropFirst()
        }
        while let start = rest.firstRange(of: "${") {
            output += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                return .failure(Problem(text: "“\(text)” has ${ without }"))
            }
            let name = String(rest[start.upperBound..<end])
            guard let value = variables[name], !value.isEmpty else {
                return .failure(
                    Problem(
                        text:
                            "the environment variable “\(name)” is not set or empty; set it or use a path without it"
                    ))
            }
            output += value
            rest = rest[rest.index(after: end)...]
        }
        return .success(output + rest)
    }
}
