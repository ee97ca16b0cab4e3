import HeartwoodConfiguration
import HeartwoodReading

// Prints what is said where the product HeartwoodArchive is needed: by a configuration that asks for compressed files, by one
// that encrypts private values, and by a reader of the directory that the argument names.

func report(_ body: () throws -> Void) {
    do {
        try body()
        print("no error")
    } catch {
        print(error)
    }
}

func load(_ file: LogSetting) throws {
    try LogConfiguration(["loggers": ["file": file]]).apply()
}

report { try load(["kind": "file", "directory": "logs", "archiveFormat": "gzip"]) }
report {
    try load([
        "kind": "file", "directory": "logs",
        "formatter": ["kind": "line", "privacy": ["encrypt": ["environment": "HOME"]]],
    ])
}
for directory in CommandLine.arguments.dropFirst() {
    report { for line in try LogFileReader(directory: directory).lastLines(10) { print(line.text) } }
}
