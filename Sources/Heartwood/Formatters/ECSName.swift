/// The names of members in documents of the Elastic Common Schema, in the order in which they are written.
///
/// ``JSONLinesFormatter/Options/ecs(service:environment:version:dataset:)`` and the encoding of
/// Elasticsearch's `_bulk` use them, so that an index gets the same document whichever way a message takes.
package enum ECSName {
    package static let time: StaticString = "@timestamp"
    package static let level: StaticString = "log.level"
    package static let message: StaticString = "message"
    package static let version: StaticString = "ecs.version"
    package static let service: StaticString = "service.name"
    package static let environment: StaticString = "service.environment"
    package static let serviceVersion: StaticString = "service.version"
    package static let dataset: StaticString = "event.dataset"
    package static let category: StaticString = "log.logger"
    package static let file: StaticString = "log.origin.file.name"
    package static let line: StaticString = "log.origin.file.line"
    package static let function: StaticString = "log.origin.function"
    package static let thread: StaticString = "process.thread.id"
    package static let threadName: StaticString = "process.thread.name"
    package static let sequence: StaticString = "event.sequence"
    package static let trace: StaticString = "trace.id"
    package static let span: StaticString = "span.id"
    /// The prefix of the members of an error, `error.type` and so on.
    package static let error: StaticString = "error"
    package static let labels: StaticString = "labels"

    /// The version of the schema that documents follow.
    package static let schemaVersion = "8.11.0"
}

extension StaticString {
    /// The same text as a `String`.
    var text: String { withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }
}
