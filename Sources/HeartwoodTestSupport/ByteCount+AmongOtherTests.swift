package import Heartwood

extension ByteCount {
    /// How much more memory may be in use after a part of a test, where other tests of the process run at the
    /// same time.
    package static let amongOtherTests = ByteCount.gibibytes(1)
}
