public import Heartwood

extension LogSettingDecoder where Value == Bool {
    /// Decodes a Boolean: `true` or `false`.
    public static var bool: LogSettingDecoder {
        LogSettingDecoder("boolean", write: "true or false, without quotes") { setting in
            if case .bool(let flag) = setting.value { flag } else { nil }
        }
    }
}

extension LogSettingDecoder where Value == String {
    /// Decodes any string.
    public static var string: LogSettingDecoder {
        LogSettingDecoder("string", write: "a string in double quotes", \.string)
    }

    /// Decodes the path of a file or directory.
    ///
    /// `${NAME}` is replaced by an environment variable, and `~/` at the start by the home directory. A
    /// relative path is relative to the current directory of the process when the configuration is applied.
    public static var path: LogSettingDecoder {
        LogSettingDecoder("path", write: "a path in quotes") { setting, path, collector in
            guard let text = setting.string, !text.isEmpty, !text.utf8.contains(0) else {
                collector.add(
                    setting.place, path, "\(setting.shown) is not a valid path; use a string")
                return nil
            }
            switch PathText.expanded(text, ProcessEnvironment.all) {
            case .success(let expanded): return expanded.absolutePath(in: collector.workingDirectory)
            case .failure(let problem):
                collector.add(setting.place, path, problem.text)
                return nil
            }
        }
    }
}

extension LogSettingDecoder where Value == Int {
    /// Decodes an integer within a range.
    public static func integer(_ range: ClosedRange<Int> = 0...Int.max) -> LogSettingDecoder {
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        return LogSettingDecoder("integer", write: "a whole number \(bounds)") { setting in
            guard case .integer(let number) = setting.value, let number = Int(exactly: number),
                range.contains(number)
            else { return nil }
            return number
        }
    }
}

extension LogSettingDecoder where Value == Double {
    /// Decodes a number within a range.
    public static func number(_ range: ClosedRange<Double>) -> LogSettingDecoder {
        LogSettingDecoder("number", write: "a number from \(range.lowerBound) to \(range.upperBound)") {
            setting in
            let number: Double
            switch setting.value {
            case .integer(let whole): number = Double(whole)
            case .number(let given): number = given
            default: return nil
            }
            return range.contains(number) ? number : nil
        }
    }
}

extension LogSettingDecoder where Value == ByteCount {
    /// Decodes an amount of storage: `"64 KiB"`, `"10 MB"`, or a number of bytes.
    public static var size: LogSettingDecoder {
        LogSettingDecoder("size", write: "64 KiB, 10 MB or a number of bytes") { setting in
            switch setting.value {
            case .integer(let number) where number >= 0: Int(exactly: number).map { ByteCount($0) }
            case .string(let text): ByteCount(parsing: text)
            default: nil
            }
        }
    }
}

extension LogSettingDecoder where Value == Duration {
    /// Decodes a duration: `"250ms"`, `"30 s"`, `"5m"`, `"1h"`, `"7d"`, `"2w"`, or a number of seconds.
    public static var time: LogSettingDecoder {
        LogSettingDecoder("time", write: "250ms, 30s, 5m, 1h, 7d, 2w or a number of seconds") { setting in
            switch setting.value {
            case .integer(let number): seconds(Double(number))
            case .number(let number): seconds(number)
            case .string(let text): Duration(parsing: text.filter { $0 != " " })
            default: nil
            }
        }
    }

    private static func seconds(_ number: Double) -> Duration? {
        number >= 0 && number < 9e9 ? .milliseconds(Int64((number * 1000).rounded())) : nil
    }
}

extension LogSettingDecoder where Value == FileMode {
    /// Permissions of a file, in octal digits: `"0640"`.
    static var permissions: LogSettingDecoder {
        LogSettingDecoder("file mode", write: "octal digits in quotes, such as \"0640\"") { setting in
            guard let text = setting.string, (3...4).contains(text.count), let mode = UInt16(text, radix: 8),
                mode <= 0o7777
            else { return nil }
            return FileMode(mode)
        }
    }
}

/// Paths as people write them.
private enum PathText {
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
                            "the environment variable “\(name)” is not set or empty; "
                            + "set it or use a path without it"
                    ))
            }
            output += value
            rest = rest[rest.index(after: end)...]
        }
        return .success(output + rest)
    }
}
