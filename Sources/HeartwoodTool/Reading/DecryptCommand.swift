import Heartwood
import HeartwoodReading

/// `heartwood decrypt`: the text of encrypted and compressed logs.
enum DecryptCommand: Subcommand {
    static let name = "decrypt"
    static let summary = "Decrypts logs, as far as they are intact."
    static let operands = "FILE…"
    static let options = [
        OptionGroup(
            title: "The key: 32 bytes, or 64 hexadecimal digits",
            options: LogSelection.keyOptions("Reads the key from"))
    ]
    static let details = """
        The text goes to standard output. Each block of a file is encrypted separately: a damaged block
        is skipped and reported on standard error. Compressed and plain files are read too.

        Exit codes: 0, everything was read; 1, a file is damaged, cut off, or encrypted with another
        key; 2, invalid arguments.

        Example:
            heartwood decrypt --key-file /etc/shop/log.key 'shop 2026-11-20--00-00-00-000.log.hwe' >
            thursday.log
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard !arguments.operands.isEmpty else { throw UsageError("missing FILE") }
        let key = try LogSelection.key(arguments)
        var isWhole = true
        for path in arguments.operands {
            let source = try LogFileSource(path: path, key: key)
            while let bytes = try source.next() { try ByteOutput.standard.write(bytes) }
            if let damage = source.damage {
                isWhole = false
                Terminal.error.write("heartwood decrypt: \(path): \(damage)\n")
            }
        }
        return isWhole ? .success : .failure
    }
}
