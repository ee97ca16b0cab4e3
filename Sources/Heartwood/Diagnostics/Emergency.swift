import CHeartwood

/// Writes one line to standard error at once, with a single call of `write(2)`.
///
/// Use it in signal handlers, and where no logger can be used.
///
/// It allocates nothing, takes no lock, keeps `errno` and reaches no logger, so it may be called anywhere, in
/// a signal handler and in the child of a fork as well. The line is text and a newline in one call of
/// `write`, whole up to 4096 bytes (POSIX `PIPE_BUF` on Linux) even where several processes write to one
/// pipe; what is longer is cut off there. What the kernel does not take, because the reader is gone or its
/// pipe is full, is lost.
///
/// - Parameter text: A literal, so that nothing has to be built.
public func logEmergency(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    hw_emergency(2, UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
}
