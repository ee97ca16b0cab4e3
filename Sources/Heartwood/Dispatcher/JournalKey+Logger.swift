extension JournalKey {
    /// What a logger that makes messages durable is known by; nil for others.
    static func of(_ logger: AbstractLogger) -> JournalKey? {
        guard let place = (logger as? any DurableLogger)?.journalKey else { return nil }
        let formatter = logger.formatter.map { String(describing: type(of: $0)) } ?? ""
        return JournalKey(place: place, variant: "\(logger.name)/\(formatter)")
    }
}
