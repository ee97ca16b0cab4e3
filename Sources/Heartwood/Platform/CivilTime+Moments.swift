extension CivilTime {
    /// What a clock `offset` seconds ahead of UTC shows at `moment`.
    package init(_ moment: LogTimestamp, offset: Int) {
        let (seconds, nanosecond) = CivilTime.split(moment.nanoseconds)
        self.init(seconds: seconds + Int64(offset), nanosecond: nanosecond)
    }

    /// The moment at which a clock `offset` seconds ahead of UTC shows this.
    package func moment(offset: Int) -> LogTimestamp {
        LogTimestamp(nearestTo: secondsSince1970 - offset, nanosecond)
    }
}
