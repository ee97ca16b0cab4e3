/// How files are kept.
///
/// The product `HeartwoodArchive` adds `gzip`, which compresses finished files, and `encrypted`, which
/// encrypts files from their first line on. A program without it links neither zlib nor libcrypto.
public struct LogArchiveFormat: Hashable, Sendable {
    /// What finished files become.
    package let stage: ArchiveStage

    package init(_ stage: ArchiveStage) { self.stage = stage }

    /// As they were written.
    public static let plain = LogArchiveFormat(.plain)
}
