import Heartwood

/// All kinds there are, by their names.
enum KindRegistry {
    private static let loggers = Locked<[LoggerKind]>([.console, .file, .system, .memory])
    private static let formatters = Locked<[FormatterKind]>(FormatterKind.standard)

    static func register(_ kind: LoggerKind) {
        loggers.withLock { kinds in
            kinds.removeAll { $0.name == kind.name }
            kinds.append(kind)
        }
    }

    static func register(_ kind: FormatterKind) {
        formatters.withLock { kinds in
            kinds.removeAll { $0.name == kind.name }
            kinds.append(kind)
        }
    }

    static var loggerNames: [String] { loggers.withLock { $0.map(\.name) } }
    static var formatterNames: [String] { formatters.withLock { $0.map(\.name) } }

    static func logger(_ name: String) -> LoggerKind? { loggers.withLock { $0.first { $0.name == name } } }
    static func formatter(_ name: String) -> FormatterKind? {
        formatters.withLock { $0.first { $0.name == name } }
    }
}
