extension CivilTime {
    /// What a clock `offset` seconds ahead of UTC shows at `moment`.
    package init(_ moment: LogTimestamp, offset: Int) {
        self.init(nanoseconds: (moment + .seconds(offset)).nanoseconds)
    }

    /// The moment at which a clock `offset` seconds ahead of UTC shows this.
    package func moment(offset: Int) -> LogTimestamp {
        LogTimestamp(nanoseconds: nanosecondsSince1970) + .seconds(-offset)
    }
}
