/// Finds numbers of cards, accounts and persons, by their check digits.
enum SecretNumbers {
    // MARK: Cards

    /// The number of a card whose digits begin at a place.
    static func card(in bytes: UnsafeRawBufferPointer, at place: Int) -> Range<Int>? {
        guard begins(bytes, place) else { return nil }
        var digits = 0
        var end = place
        /// How many digits the groups have, as a number: 4444, 465.
        var form = 0
        var separator: UInt8?
        while true {
            let start = end
            while end < bytes.count, bytes[end].isDigit { end += 1 }
            digits += end - start
            if digits > 19 { return nil }
            form = form * 10 + min(9, end - start)
            if digits >= 13, ends(bytes, end), isCard(bytes, place..<end) {
                if separator == nil { return place..<end }
                if forms.contains(form), !isInList(bytes, place, end) { return place..<end }
            }
            guard end + 1 < bytes.count, bytes[end] == separator ?? bytes[end],
                bytes[end] == .space || bytes[end] == .hyphen, bytes[end + 1].isDigit
            else { return nil }
            separator = bytes[end]
            end += 1
        }
    }

    /// The groups in which cards are written.
    private static let forms: Set<Int> = [4444, 465, 464, 44443]

    /// Whether there are groups of four digits in front of or after a number that is in groups itself.
    private static func isInList(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        let isBefore =
            start >= 5 && bytes[(start - 5)..<(start - 1)].allSatisfy(\.isDigit) && bytes[start - 1] == .space
        return isBefore
            || end + 4 < bytes.count && bytes[end] == .space
                && bytes[(end + 1)...(end + 4)].allSatisfy(\.isDigit)
    }

    /// Whether the number begins as those of the big networks do, and its check digit is right.
    private static func isCard(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        let (first, second) = (bytes[range.lowerBound], bytes[range.lowerBound + 1])
        let isKnown =
            (0x33...0x36).contains(first) || (first == UInt8(ascii: "2") && (0x32...0x37).contains(second))
        if !isKnown { return false }
        var sum = 0
        var doubles = false
        for index in range.reversed() where bytes[index].isDigit {
            let digit = Int(bytes[index] - 0x30) * (doubles ? 2 : 1)
            sum += digit > 9 ? digit - 9 : digit
            doubles.toggle()
        }
        return sum % 10 == 0
    }

    /// Whether a number can begin at a place: not in a word, nor after a decimal point.
    private static func begins(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        guard place > 0 else { return true }
        if bytes[place - 1] == .underscore || bytes[place - 1] == .period { return false }
        // The sign of a number, as in blk_-4980916519894289629.
        if bytes[place - 1] == .hyphen, place == 1 || !bytes[place - 2].isAlphanumeric { return false }
        return bytes.beginsWord(at: place)
    }

    private static func ends(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Bool {
        if end == bytes.count { return true }
        if bytes[end] == .period { return end + 1 == bytes.count || !bytes[end + 1].isDigit }
        return !bytes[end].isWord
    }

    // MARK: Accounts

    /// The number of an account whose check digits begin at a place, after the letters of the country.
    static func bankAccount(in bytes: UnsafeRawBufferPointer, at place: Int) -> Range<Int>? {
        let start = place - 2
        guard start >= 0, bytes[start].isCapital, bytes[start + 1].isCapital, bytes.beginsWord(at: start)
        else { return nil }
        // The characters, with single blanks or hyphens between them.
        var characters: [UInt8] = []
        var ends: [Int] = []
        var index = start
        while index < bytes.count, characters.count < 34 {
            let byte = bytes[index]
            if byte.isDigit || byte.isCapital {
                characters.append(byte)
                ends.append(index + 1)
            } else if !(byte == .space || byte == .hyphen) || index + 1 == bytes.count
                || !(bytes[index + 1].isDigit || bytes[index + 1].isCapital) || characters.count < 4
            {
                break
            }
            index += 1
        }
        // The longest number with the right sum, as what follows may be a word of capitals.
        for length in stride(from: characters.count, through: 15, by: -1) {
            let end = ends[length - 1]
            if end < bytes.count, bytes[end].isWord { continue }
            if isAccount(characters[..<length]) { return start..<end }
        }
        return nil
    }

    /// Whether the sum of ISO 7064 (MOD 97-10) is right.
    private static func isAccount(_ characters: ArraySlice<UInt8>) -> Bool {
        guard characters[2].isDigit, characters[3].isDigit else { return false }
        var rest = 0
        for byte in characters[4...] + characters[..<4] {
            rest = byte.isDigit ? rest * 10 + Int(byte - 0x30) : rest * 100 + Int(byte - 0x41) + 10
            rest %= 97
        }
        return rest == 1
    }

    // MARK: Persons

    /// The first number of a person, at or after an index.
    static func national(
        _ countries: [NationalNumber], in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Range<Int>? {
        for index in start..<max(start, bytes.count)
        where bytes[index].isDigit || bytes[index].isLetter {
            guard bytes.beginsWord(at: index), index == 0 || bytes[index - 1] != .underscore else { continue }
            for country in countries {
                if let end = end(of: country, bytes, index), ends(bytes, end) { return index..<end }
            }
        }
        return nil
    }

    private static func end(
        of country: NationalNumber, _ bytes: UnsafeRawBufferPointer, _ start: Int
    ) -> Int? {
        guard let kind = kinds[country],
            let end = kind.forms.lazy.compactMap({ match($0, bytes, start) }).first
        else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        return kind.isRight(text.filter(\.isDigit).map { Int($0 - 0x30) }, text) ? end : nil
    }

    /// The forms of each country's numbers, and whether digits, letters and check digits are right.
    static let kinds: [NationalNumber: (forms: [StaticString], isRight: Check)] = [
        .unitedStates: (
            ["ddd-dd-dddd"],
            { digits, _ in
                let area = digits[0] * 100 + digits[1] * 10 + digits[2]
                return area != 0 && area != 666 && area < 900 && digits[3...4].contains { $0 != 0 }
                    && digits[5...].contains { $0 != 0 }
            }
        ),
        .unitedKingdom: (
            ["aa dd dd dd a", "aadddddda"],
            { _, text in
                !"DFIQUV".utf8.contains(text[0]) && !"DFIOQUV".utf8.contains(text[1])
                    && "ABCD".utf8.contains(text[text.count - 1])
            }
        ),
        .germany: (
            ["dd ddd ddd ddd", "ddddddddddd"],
            { digits, _ in
                // Among the first ten, one digit is there twice or three times, and others are missing.
                let different = Set(digits[..<10]).count
                let product = digits[..<10].reduce(10) { product, digit in
                    let sum = (digit + product) % 10
                    return (sum == 0 ? 10 : sum) * 2 % 11
                }
                return digits[0] != 0 && (8...9).contains(different) && (11 - product) % 10 == digits[10]
            }
        ),
        .france: (
            ["d dd dd dd ddd ddd dd", "ddddddddddddddd"],
            { digits, _ in
                let number = digits[..<13].reduce(0) { ($0 * 10 + $1) % 97 }
                return (1...2).contains(digits[0]) && (1...12).contains(digits[3] * 10 + digits[4])
                    && 97 - number == digits[13] * 10 + digits[14]
            }
        ),
        .spain: (
            ["dddddddda", "dddddddd-a", "addddddda", "a-ddddddd-a"],
            { digits, text in
                // The number of a foreigner begins with X, Y or Z, for 0, 1 or 2.
                let first = text[0].isDigit ? 0 : Int(text[0]) - Int(UInt8(ascii: "X"))
                let number = digits.reduce(first) { $0 * 10 + $1 }
                return (0...2).contains(first)
                    && Array("TRWAGMYFPDXBNJZSQVHLCKE".utf8)[number % 23] == text[text.count - 1]
            }
        ),
        .italy: (
            ["aaaaaaxxaxxaxxxa"],
            { _, text in
                let odd = [
                    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
                    23,
                ]
                let values = text.map { Int($0) - ($0.isDigit ? 0x30 : 0x41) }
                let sum = values.dropLast().enumerated().reduce(0) {
                    $0 + ($1.offset % 2 == 0 ? odd[$1.element] : $1.element)
                }
                return sum % 26 == values[15]
            }
        ),
        .switzerland: (
            ["ddd.dddd.dddd.dd", "ddddddddddddd"],
            { digits, _ in
                digits.starts(with: [7, 5, 6])
                    && digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) } % 10
                        == 0
            }
        ),
        .brazil: (
            ["ddd.ddd.ddd-dd"],
            { digits, _ in
                Set(digits).count > 1
                    && [9, 10].allSatisfy { count in
                        let sum = digits[..<count].enumerated().reduce(0) {
                            $0 + $1.element * (count + 1 - $1.offset)
                        }
                        return sum * 10 % 11 % 10 == digits[count]
                    }
            }
        ),
    ]

    /// Gets the digits, and all characters.
    typealias Check = @Sendable (_ digits: [Int], _ text: UnsafeRawBufferPointer) -> Bool

    /// Where a form ends that begins at an index: `d` is a digit, `a` a capital, `x` either, all else
    /// itself.
    private static func match(
        _ form: StaticString, _ bytes: UnsafeRawBufferPointer, _ start: Int
    ) -> Int? {
        guard start + form.utf8CodeUnitCount <= bytes.count else { return nil }
        for index in 0..<form.utf8CodeUnitCount {
            let byte = bytes[start + index]
            let fits =
                switch form.utf8Start[index] {
                case UInt8(ascii: "d"): byte.isDigit
                case UInt8(ascii: "a"): byte.isCapital
                case UInt8(ascii: "x"): byte.isDigit || byte.isCapital
                case let other: byte == other
                }
            if !fits { return nil }
        }
        return start + form.utf8CodeUnitCount
    }
}
