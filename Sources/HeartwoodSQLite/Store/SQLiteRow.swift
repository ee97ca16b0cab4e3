import Heartwood

/// A message in the form in which an ``SQLiteLogger`` keeps it until it is saved.
public struct SQLiteRow: Sendable {
    var time: Int64
    var level: Int64
    var category: String
    var message: String
    /// Named pieces and fields, a JSON object; nil without any.
    var metadata: String?
    var context: Int64
    var file: String
    var function: String
    var line: Int64
    var thread: Int64
    var threadName: String?
    var queue: String?
    var task: String?
    var sequence: Int64

    /// Takes what a message is beside its text and its fields.
    init(_ message: LogMessage, text: String, metadata: String?) {
        time = message.timestamp.nanoseconds
        level = Int64(message.level.index)
        category = message.category.name
        self.message = text
        self.metadata = metadata
        context = Int64(message.context)
        file = message.file
        function = message.function
        line = Int64(message.line)
        thread = Int64(bitPattern: message.threadID)
        threadName = message.threadName
        queue = message.queueLabel
        task = message.taskName
        sequence = Int64(bitPattern: message.sequence)
    }

    static let insertion = """
        INSERT INTO messages (time, level, category, message, metadata, context, file, function, line, thread,
        thread_name, queue, task, sequence, process) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    func bind(to statement: SQLiteStatement, process: Int64) {
        statement.bind(1, time)
        statement.bind(2, level)
        statement.bind(3, category)
        statement.bind(4, message)
        statement.bind(5, metadata)
        statement.bind(6, context)
        statement.bind(7, file)
        statement.bind(8, function)
        statement.bind(9, line)
        statement.bind(10, thread)
        statement.bind(11, threadName)
        statement.bind(12, queue)
        statement.bind(13, task)
        statement.bind(14, sequence)
        statement.bind(15, process)
    }
}
