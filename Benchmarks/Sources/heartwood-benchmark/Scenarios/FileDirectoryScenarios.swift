import Foundation
import Heartwood
import HeartwoodReading

/// A logger's start in a directory of very many old files, until its first line is written.
struct FileStartScenario: Scenario {
    let name = "file-start-10000"
    let unit = "ms"
    let isDefault = false
    var files = 10_000

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let naming = LogFileNaming(application: "start")
            for number in 0..<files {
                let createdAt = LogTimestamp(
                    nanoseconds: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000_000)
                let name = naming.name(for: LogFileLabel(createdAt: createdAt))
                try Data("line\n".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
            }
            let start = now()
            let file = try FileLogger(directory: path, settings: FileSettings(naming: naming))
            file.maximumFileCount = nil
            let dispatcher = LogDispatcher()
            dispatcher.add(file)
            logInfo("first", to: dispatcher)
            try check(dispatcher.flush(timeout: .seconds(60)).isComplete, "the flush did not finish")
            let milliseconds = Double(now() - start) / 1e6
            let found = try file.logFiles()
            try check(found.count == files + 1, "\(found.count) files instead of \(files + 1)")
            try check(found.first?.isActive == true, "the newest file is not the one that is written")
            dispatcher.removeAll()
            return [Measurement(value: milliseconds)]
        }
    }
}

/// The last 100 lines of a file of 1 GiB.
struct FileTailScenario: Scenario {
    let name = "file-tail-1GiB"
    let unit = "ms"
    let isDefault = false
    var size = 1 << 30

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let line = Data((String(repeating: "x", count: 109) + "\n").utf8)
            var block = Data()
            while block.count < 1 << 20 { block.append(line) }
            let place = URL(fileURLWithPath: path + "/large.log")
            try Data().write(to: place)
            let file = try FileHandle(forWritingTo: place)
            for _ in 0..<size / block.count { try file.write(contentsOf: block) }
            try file.close()
            let start = now()
            let lines = try LogFileReader(directory: path).lastLines(100)
            let milliseconds = Double(now() - start) / 1e6
            try check(lines.count == 100, "\(lines.count) lines instead of 100")
            try check(
                lines.allSatisfy { $0.text.utf8.count == 109 && $0.text.utf8.allSatisfy { $0 == 0x78 } },
                "the lines are not those of the file")
            return [Measurement(value: milliseconds)]
        }
    }
}
