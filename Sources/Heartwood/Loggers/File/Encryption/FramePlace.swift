/// Which frame of which file it is, and who wrote it.
package struct FramePlace: Sendable, Hashable {
    /// 16 random bytes, the same in all frames of a file.
    package var file: [UInt8]
    /// 8 random bytes, the same in all frames that one writer wrote without a failure in between.
    package var run: [UInt8]
    /// The frame's number in its file, from 0.
    package var number: UInt64

    /// The first frame of a new file.
    package static func first() -> FramePlace {
        FramePlace(file: RandomBytes.make(16), run: RandomBytes.make(8), number: 0)
    }

    /// The frame after the one that has `number`, in another run.
    package func next(number: UInt64) -> FramePlace {
        FramePlace(file: file, run: RandomBytes.make(8), number: number)
    }

    /// The cipher of the run.
    package func cipher(_ cipher: FrameCipher) throws -> FrameCipher {
        try cipher.derived(for: Array("heartwood frame key 1".utf8) + file + run)
    }
}
