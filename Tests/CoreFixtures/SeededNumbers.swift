import HeartwoodTestSupport

/// Random choices that are the same for the same seed everywhere.
package struct SeededNumbers: RandomNumberGenerator {
    private var generator: SeededGenerator

    package init(_ seed: UInt64) {
        generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03)
    }

    package mutating func next() -> UInt64 { generator.next() }

    package mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

    package mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &self)]
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
