/// Returns the name of a source file without folders and extension; the file of the caller unless given.
public func currentFileName(_ fileName: StaticString = #fileID) -> String {
    let name = fileName.description.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
}

/// The old name of ``currentFileName(_:)``.
@available(*, deprecated, renamed: "currentFileName")
public func CurrentFileName(_ fileName: StaticString = #fileID) -> String { currentFileName(fileName) }
