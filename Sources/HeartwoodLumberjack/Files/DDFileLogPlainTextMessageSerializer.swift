/// Writes texts unchanged, in UTF-8.
open class DDFileLogPlainTextMessageSerializer: NSObject, DDFileLogMessageSerializer {
    /// Makes a serializer.
    public override init() {}

    /// The text in UTF-8.
    open func dataForString(_ string: String, originatingFrom message: DDLogMessage?) -> Data {
        Data(string.utf8)
    }
}
