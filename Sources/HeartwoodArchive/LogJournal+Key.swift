public import Heartwood

extension LogJournal {
    /// A file in a directory, as `file(_:)`, in which messages are encrypted.
    ///
    /// ```swift
    /// let keys = FileSecrets(directory: "/etc/shop/keys")
    /// LogDispatcher.shared.journal = .file("/var/lib/shop/journal", key: keys)
    /// ```
    ///
    /// Each file has a random key of its own (AES-256 in counter mode), which your key encrypts
    /// (AES-256-GCM). Texts, values, and the names of threads, queues and tasks are encrypted before they are
    /// in the file; times, levels, sizes, and the names of source files and categories are not. The
    /// encryption does not detect changes to the file: the checks of records notice damage, not an attacker.
    /// It takes as much memory as the ring once more.
    ///
    /// The next run needs the same key to recover messages. Without it, the files stay, and a flush names
    /// them. If the key cannot be loaded, there is no journal: nothing is written in clear.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - key: The source of the key. It is asked for the secret `log-archive-key`, as for encrypted log
    ///     files: 32 bytes, or 64 hexadecimal digits.
    /// - Returns: The journal.
    public static func file(_ directory: String, key: any SecretProvider) -> LogJournal {
        LogArchives.register()
        return LogJournal(directory: directory, key: key)
    }
}
