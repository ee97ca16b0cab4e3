import Foundation
import HeartwoodHTTP
import HeartwoodTestSupport
import Testing

extension LoopbackServer {
    /// The numbers `n` of the lines of JSON that it has, without repetitions: those with the same key must have the same
    /// bytes.
    func storedNumbers() throws -> [Int] {
        var bodies: [String: [UInt8]] = [:]
        var numbers: [Int] = []
        for request in stored {
            let key = try #require(request.headers["Idempotency-Key"])
            if let known = bodies[key] {
                #expect(known == request.body)
                continue
            }
            bodies[key] = request.body
            for line in request.body.split(separator: 0x0A) {
                let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                numbers.append(try #require(object?["n"] as? Int))
            }
        }
        return numbers
    }
}
