/// A hash that is the same in all processes, unlike `Hasher`.
enum StableHash {
    /// FNV-1a, well mixed.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixed(hash)
    }

    static func of(_ text: String, _ number: Int) -> UInt64 {
        var text = text
        return text.withUTF8 {
            of(UnsafeRawBufferPointer($0), seed: mixed(UInt64(bitPattern: Int64(number))))
        }
    }

    /// Spreads a number over all bits (the finaliser of SplitMix64).
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
