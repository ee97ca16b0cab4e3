/// Records that no call has logged: headers, and announcements of a loss.
extension FileLogger {
    /// The header of a new file, as a record; empty for none.
    final func header() -> [UInt8] {
        guard let header = headerOfNewFile else { return [] }
        var output = LogBuffer(capacity: header.utf8.count + 16)
        output.append(header)
        finishRecord(in: &output, from: 0)
        return output.withUnsafeBytes { Array($0) }
    }

    /// The record that tells how many messages were dropped, and why.
    final func announcement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        let message = LogMessage.ofLoss(count, because: failure, at: clock.now())
        var output = LogBuffer()
        if formatter?.format(message, into: &output) ?? false, output.count > 0 {
            finishRecord(in: &output, from: 0)
            return output.withUnsafeBytes { Array($0) }
        }
        return FileEngine.plainAnnouncement(count, failure)
    }
}
