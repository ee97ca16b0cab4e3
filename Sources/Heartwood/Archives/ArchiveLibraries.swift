/// The library that the program has registered, if any.
package enum ArchiveLibraries {
    private static let library = Locked<(any ArchiveLibrary)?>(nil)

    /// Registers the library for the rest of the process.
    package static func register(_ library: any ArchiveLibrary) {
        ArchiveLibraries.library.withLock { $0 = library }
    }

    /// Whether compression and encryption are available.
    package static var isRegistered: Bool { library.withLock { $0 != nil } }

    /// The registered library.
    ///
    /// - Throws: ``LogError`` of code `setting`, which names the product and the call to add, if no library
    ///   is registered.
    package static func registered(for feature: String, place: String? = nil) throws -> any ArchiveLibrary {
        if let library = library.withLock({ $0 }) { return library }
        throw LogError(.setting, missing(feature), place: place)
    }

    /// What to do if a feature needs the library and none is registered.
    package static func missing(_ feature: String) -> String {
        "\(feature) requires the product HeartwoodArchive; import HeartwoodArchive and call "
            + "LogArchives.register() before"
    }
}
