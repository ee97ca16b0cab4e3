extension JSONLinesFormatter.Options {
    /// The Elastic Common Schema, as Elasticsearch, Kibana and Filebeat read it.
    ///
    ///     {"@timestamp":"…","log.level":"info","message":"…","ecs.version":"8.11.0","service.name":"shop",…}
    ///
    /// A trace is in `trace.id` and `span.id`, the error of a call in `error.type`, `error.message`,
    /// `error.code` and `error.stack_trace`. The other fields that the program gives are in `labels`, lists
    /// and named values among them as strings. A dot in the name of a label becomes `_`, so that no name
    /// collides with another one in the index.
    ///
    /// - Parameters:
    ///   - service: The program's name in `service.name`; that of its file unless given.
    ///   - environment: For `service.environment`, if given.
    ///   - version: For `service.version`, if given.
    ///   - dataset: For `event.dataset`, if given.
    /// - Returns: the options.
    public static func ecs(
        service: String? = nil, environment: String? = nil, version: String? = nil, dataset: String? = nil
    ) -> JSONLinesFormatter.Options {
        var options = JSONLinesFormatter.Options()
        options.members = [
            .time(ECSName.time.text), .level(ECSName.level.text), .message(ECSName.message.text),
            .constant(ECSName.version.text, .string(ECSName.schemaVersion)),
            .constant(ECSName.service.text, .string(service ?? ProcessFacts.name)),
        ]
        let constants = [
            (ECSName.environment, environment), (ECSName.serviceVersion, version), (ECSName.dataset, dataset),
        ]
        for (key, value) in constants {
            if let value { options.members.append(.constant(key.text, .string(value))) }
        }
        options.members += [
            .category(ECSName.category.text), .file(ECSName.file.text), .line(ECSName.line.text),
            .function(ECSName.function.text), .thread(ECSName.thread.text),
            .threadLabel(ECSName.threadName.text), .sequence(ECSName.sequence.text),
            .traceID(ECSName.trace.text), .spanID(ECSName.span.text), .error(ECSName.error.text), .fields,
        ]
        options.fields = .inObject(ECSName.labels.text)
        options.values = .scalars
        return options
    }

    /// Graylog's Extended Log Format 1.1.
    ///
    ///     {"version":"1.1","host":"web1","short_message":"…","timestamp":1763634030.123456789,"level":6,…}
    ///
    /// An empty text becomes `-`, because Graylog refuses an empty one. The fields that the program gives
    /// have an underscore in front, and are strings or numbers; `id` becomes `__id`, for `_id` is Graylog's
    /// own.
    ///
    /// - Parameter host: The sender's name; the machine's unless given.
    /// - Returns: the options.
    public static func gelf(host: String? = nil) -> JSONLinesFormatter.Options {
        var options = JSONLinesFormatter.Options()
        let name = host ?? ProcessFacts.host
        options.members = [
            .constant("version", "1.1"), .constant("host", .string(name.isEmpty ? "-" : name)),
            JSONMember(kind: .messageOrDash, key: "short_message"), .time("timestamp", .unixSeconds),
            .level("level", .syslog),
            .category("_category"), .context("_context"), .file("_file"), .line("_line"),
            .function("_function"), .thread("_thread"), .threadName("_thread_name"), .queue("_queue"),
            .task("_task"), .sequence("_seq"), .reserved("_id"), .fields,
        ]
        options.fields = .prefixed("_")
        options.values = .stringsAndNumbers
        return options
    }

    /// The keys of SwiftyBeaver's `$J`.
    ///
    ///     {"timestamp":1763634030.123456789,"level":2,"message":"…","thread":"main","file":"Shop.swift",…}
    public static var swiftyBeaver: JSONLinesFormatter.Options {
        var options = JSONLinesFormatter.Options()
        options.members = [
            .time("timestamp", .unixSeconds), .level("level", .swiftyBeaver), .message(),
            .threadLabel("thread"), .file(), .function(), .line(), .context(), .fields,
        ]
        return options
    }
}
