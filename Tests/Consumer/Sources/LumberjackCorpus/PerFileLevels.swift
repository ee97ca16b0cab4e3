import HeartwoodLumberjack

#if DEBUG
fileprivate let ddLogLevel: DDLogLevel = .verbose
#else
fileprivate let ddLogLevel: DDLogLevel = .info
#endif

/// A network layer that says more than the rest of the app.
final class NetworkSession {
    private let name: String

    init(name: String) { self.name = name }

    func load(_ path: String) -> Int {
        DDLogVerbose("[\(name)] GET \(path)", level: ddLogLevel)
        let size = path.utf8.count
        DDLogDebug("[\(name)] \(size) bytes", level: ddLogLevel)
        if size > 20 { DDLogWarn("[\(name)] long path: \(size, default: "?")", level: ddLogLevel) }
        return size
    }
}

/// Levels of modules, changed from a debug menu.
enum LogModule: String, CaseIterable {
    case payments, sync

    private static var levels: [LogModule: DDLogLevel] = [:]

    var level: DDLogLevel {
        get { return LogModule.levels[self] ?? .warning }
        nonmutating set { LogModule.levels[self] = newValue }
    }

    func debug(
        _ message: @autoclosure () -> DDLogMessageFormat, file: StaticString = #file,
        function: StaticString = #function, line: UInt = #line
    ) {
        DDLogDebug(message(), level: level, file: file, function: function, line: line, tag: rawValue)
    }

    func error(
        _ message: @autoclosure () -> DDLogMessageFormat, file: StaticString = #file,
        function: StaticString = #function, line: UInt = #line
    ) {
        DDLogError(message(), level: level, file: file, function: function, line: line, tag: rawValue)
    }
}

/// Errors and debugging, without what is between.
let errorsAndDebugging = DDLogLevel(rawValue: DDLogFlag.error.rawValue | DDLogFlag.debug.rawValue) ?? .all

extension DDLogLevel {
    init(title: String) {
        switch title.lowercased() {
        case "error": self = .error
        case "warn", "warning": self = .warning
        case "info": self = .info
        case "debug": self = .debug
        case "off": self = .off
        default: self = .all
        }
    }

    var title: String {
        switch self {
        case .off: return "Off"
        case .error: return "Error"
        case .warning: return "Warning"
        case .info: return "Info"
        case .debug: return "Debug"
        case .verbose: return "Verbose"
        case .all: return "All"
        default: return "Custom"
        }
    }
}
