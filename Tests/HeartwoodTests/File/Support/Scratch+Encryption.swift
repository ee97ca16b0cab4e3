import Foundation

@testable import Heartwood
@testable import HeartwoodReading

extension Scratch {
    /// The same of encrypted files; each must be whole, and show nothing of its text.
    func decryptedLines(_ naming: LogFileNaming, key: any SecretProvider = FixedKey()) throws -> [String] {
        var text: [UInt8] = []
        for path in try LogFileReader(directory: logs, naming: naming).paths() {
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            guard bytes.isEmpty || bytes.starts(with: EncryptedFrame.magic) else {
                throw LogError(.damaged, "The file is not encrypted", place: path)
            }
            let source = try LogFileSource(path: path, key: key)
            while let piece = try source.next() { text += piece }
            if let damage = source.damage { throw LogError(.damaged, damage, place: path) }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}

/// A fault for the N-th call of a kind, and for some after it.
final class NthFault: Sendable {
    private let state: Locked<(calls: Int, hits: Int)>
    private let call: SystemCall
    private let first: Int
    private let count: Int
    private let fault: SystemCalls.Fault

    init(_ call: SystemCall, first: Int, count: Int = 1, _ fault: SystemCalls.Fault) {
        self.call = call
        self.first = first
        self.count = count
        self.fault = fault
        state = Locked((0, 0))
    }

    /// How often the fault happened.
    var hits: Int { state.withLock { $0.hits } }

    var calls: SystemCalls {
        SystemCalls { call in
            guard call == self.call else { return nil }
            return self.state.withLock { state in
                state.calls += 1
                guard state.calls >= self.first, state.calls < self.first + self.count else { return nil }
                state.hits += 1
                return self.fault
            }
        }
    }
}
