/// `fork(2)`, which Swift does not offer.
@_silgen_name("fork") func forkProcess() -> Int32

#if canImport(Glibc)
/// The same without the handlers of `pthread_atfork`.
@_silgen_name("_Fork") func forkWithoutHandlers() -> Int32
#else
func forkWithoutHandlers() -> Int32 { forkProcess() }
#endif
