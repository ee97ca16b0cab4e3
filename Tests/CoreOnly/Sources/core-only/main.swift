import Heartwood

// Logs to the console, and to files in the directory that the argument names.

LogDispatcher.shared.add(ConsoleLogger(.standardOutput))
for directory in CommandLine.arguments.dropFirst() {
    LogDispatcher.shared.add(try FileLogger(directory: directory))
}
logInfo("started with \(1, as: "products") product")
_ = LogDispatcher.shared.flush()
