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

/// Writes texts unchanged, in UTF-8.
open class DDFileLogPlainTextMessageSerializer: NSObject, DDFileLogMessageSerializer {
    /// Makes a serializer.
    public override init() {}

    /// The text in UTF-8.
    open func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data {
        Data(string.utf8)
    }
}
