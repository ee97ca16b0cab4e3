import HeartwoodLumberjack

/// One JSON object per line, for a log shipper.
class JSONFormatter: NSObject, DDLogFormatter {
    static let shared: JSONFormatter = JSONFormatter()

    private let service: String
    private static let dates: ISO8601DateFormatter = {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }()

    init(service: String = "app") {
        self.service = service
    }

    func format(message logMessage: DDLogMessage) -> String? {
        var object: [String: Any] = [
            "time": JSONFormatter.dates.string(from: logMessage.timestamp),
            "level": JSONFormatter.name(of: logMessage.flag),
            "service": service,
            "message": logMessage.message,
            "file": logMessage.fileName,
            "line": logMessage.line,
            "thread": logMessage.threadID,
        ]
        object["function"] = logMessage.function
        if !logMessage.queueLabel.isEmpty { object["queue"] = logMessage.queueLabel }
        if logMessage.context != 0 { object["context"] = logMessage.context }
        if let fields = logMessage.representedObject as? [String: Any] {
            object["fields"] = fields
        }
        guard JSONSerialization.isValidJSONObject(object),
            let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        else { return nil }
        return String(data: data, encoding: .utf8)
    }

    private static func name(of flag: DDLogFlag) -> String {
        switch flag {
        case .error: return "error"
        case .warning: return "warn"
        case .info: return "info"
        case .debug: return "debug"
        case .verbose: return "trace"
        default: return "other"
        }
    }
}

/// Records with their length in front, so that a reader need not look for line ends.
class LengthPrefixedSerializer: NSObject, DDFileLogMessageSerializer {
    func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data {
        let payload = Data(string.utf8)
        var length = UInt32(payload.count).bigEndian
        var data = Data(bytes: &length, count: 4)
        data.append(payload)
        return data
    }
}
