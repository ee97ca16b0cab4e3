/// `openpty(3)`, which Glibc's module does not have: a terminal of two ends, the master's and the one that programs see.
@_silgen_name("openpty") func openTerminal(
    _ master: UnsafeMutablePointer<Int32>, _ shown: UnsafeMutablePointer<Int32>,
    _ name: UnsafeMutablePointer<CChar>?,
    _ settings: UnsafeRawPointer?, _ size: UnsafeRawPointer?
) -> Int32
