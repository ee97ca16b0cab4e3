/// Converts the text of a record to the bytes of the file.
public protocol DDFileLogMessageSerializer: NSObjectProtocol {
    /// The bytes of a record.
    ///
    /// - Parameters:
    ///   - string: The text, with a newline at the end where one belongs there.
    ///   - message: The message that the text is of; nil for a header.
    /// - Returns: the bytes.
    func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data
}
