/// Records that no call has logged: headers, and announcements of a loss.
extension FileLogger {
    /// The header of a new file, as a record; empty for none.
    final func header() -> [UInt8] { headerOfNewFile.map(record) ?? [] }

    private func record(_ header: String) -> [UInt8] {
        var output = LogBuffer(capacity: header.utf8.count + 16)
        output.append(header)
        finishRecord(in: &output, from: 0)
        return output.withUnsafeBytes { Array($0) }
    }

    /// How each new file begins: with the header that is set, and a record of a formatter that is known.
    final var beginning: FileBeginning {
        var beginning = FileBeginning()
        // One that a subclass makes may differ from file to file.
        if let header = fileHeader, headerOfNewFile == header { beginning.header = record(header) }
        if repairsTornLines {
            switch formatter {
            case is JSONLinesFormatter: beginning.isJSON = true
            case is LineFormatter, is LogfmtFormatter: beginning.isJSON = false
            default: break
            }
        }
        return beginning
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
