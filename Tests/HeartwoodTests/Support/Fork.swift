/// `fork(2)`, which Swift does not offer.
@_silgen_name("fork") func forkProcess() -> Int32
