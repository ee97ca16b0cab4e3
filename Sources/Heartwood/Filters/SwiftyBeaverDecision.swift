/// SwiftyBeaver's decision, one message at a time.
struct SwiftyBeaverDecision {
    private let excluding: [SwiftyBeaverFilter]
    private let required: [SwiftyBeaverFilter]
    private let optional: [SwiftyBeaverFilter]
    private let minimum: LogLevelMask

    init(_ filters: [SwiftyBeaverFilter], minimumLevel: LogLevel) {
        excluding = filters.filter { $0.role == .excluding }
        required = filters.filter { $0.role == .required }
        optional = filters.filter { $0.role == .optional }
        minimum = LogLevelMask(atLeast: minimumLevel)
    }

    func passes(_ message: LogMessage) -> Bool {
        let level = message.level
        let isExcluded = excluding.contains { $0.condition.passes(message) || !$0.minimum.contains(level) }
        if isExcluded { return false }
        if !required.isEmpty {
            return required.allSatisfy { $0.minimum.contains(level) && $0.condition.passes(message) }
        }
        let met = optional.filter { $0.condition.passes(message) }
        if met.contains(where: { $0.minimum.contains(level) }) { return true }
        return met.isEmpty && minimum.contains(level)
    }
}
