#if canImport(Darwin)
import Darwin

// Extended attributes of files, where Foundation's system has them under the names that are given.
extension DDLogFileInfo {
    /// Whether the file has an extended attribute.
    public func hasExtendedAttribute(withName attrName: String) -> Bool {
        getxattr(filePath, attrName, nil, 0, 0, 0) >= 0
    }

    /// Adds an extended attribute without a value to the file.
    public func addExtendedAttribute(withName attrName: String) { setxattr(filePath, attrName, "", 0, 0, 0) }

    /// Removes an extended attribute from the file.
    public func removeExtendedAttribute(withName attrName: String) { removexattr(filePath, attrName, 0) }
}
#endif
