/// Describes where a message was logged: the label of the queue, or the name or number of the thread.
///
/// Labels of the system's global queues and the names that the kernel gives to their threads say nothing, and
/// are skipped.
public struct ThreadLabel: Sendable {
    /// The least length: a shorter label is padded with spaces; 0 unless changed.
    package var minimumLength = 0
    /// The greatest length: a longer label is cut; nil, the default, cuts nothing.
    package var maximumLength: Int?
    /// Replacements of labels and names; `com.apple.main-thread` becomes `main` unless changed.
    ///
    /// A replacement is filled up and cut like any label.
    public var replacements = ["com.apple.main-thread": "main"]

    /// Makes a label format.
    public init(minimumLength: Int = 0, maximumLength: Int? = nil) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
    }
}

/// A ``ThreadLabel`` ready for use.
struct CompiledThreadLabel: Sendable {
    private let replacements: [(name: [UInt8], text: [UInt8])]
    private let shape: FieldShape?

    init(_ label: ThreadLabel) {
        replacements = label.replacements.map { (Array($0.key.utf8), Array($0.value.utf8)) }
        let minimum = min(max(0, label.minimumLength), FieldShape.widest)
        let isShaped = minimum > 0 || label.maximumLength != nil
        shape =
            isShaped
            ? FieldShape(minimum: minimum, maximum: label.maximumLength.map { max(0, $0) }) : nil
    }

    func append(_ message: LogMessage, to output: inout LogBuffer) {
        let start = output.count
        let queue = message.queueLabelBytes
        if queue.isEmpty || CompiledThreadLabel.isGlobal(queue) {
            let name = message.threadNameBytes
            if name.isEmpty || CompiledThreadLabel.isOfWorker(name) {
                output.append(message.threadID)
            } else {
                append(name, to: &output)
            }
        } else {
            append(queue, to: &output)
        }
        shape?.apply(to: &output, from: start)
    }

    private func append(_ name: UnsafeRawBufferPointer, to output: inout LogBuffer) {
        let start = output.count
        for (other, text) in replacements
        where other.count == name.count && name.firstRange(of: other, from: 0) != nil {
            output.append(text)
            return output.makeSafe(from: start, .escape)
        }
        output.append(name)
        output.makeSafe(from: start, .escape)
    }

    /// `com.apple.root.default-qos` and its like, on every system.
    private static func isGlobal(_ label: UnsafeRawBufferPointer) -> Bool {
        label.has("com.apple.root.", at: 0)
    }

    private static let quality = Array("-qos".utf8)

    /// What is left of a global queue's label as a kernel's thread name of fifteen characters.
    private static func isOfWorker(_ name: UnsafeRawBufferPointer) -> Bool {
        name.firstRange(of: quality, from: 0) != nil
    }
}
