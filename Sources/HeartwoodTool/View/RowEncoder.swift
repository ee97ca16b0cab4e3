import Heartwood

/// Writes rows for the page: short in the list, whole when one is opened.
enum RowEncoder {
    /// How much of a message the list shows.
    private static let messageLimit = 2000
    /// How many fields of a row the list shows, and how much of each.
    private static let fieldLimit = 16
    private static let valueLimit = 300
    /// How much of a line is shown when it is opened.
    static let lineLimit = 1 << 20
    private static let reader = LineReader()

    /// A row of the list: its number, time in milliseconds, level, category, message, fields, file, and how it is shown.
    static func write(_ row: LogRow, to json: inout ViewJSON) {
        json.list { json in
            json.integer(row.number)
            if let moment = row.moment { json.moment(moment) } else { json.null() }
            json.integer(row.text == nil ? 7 : TimeBins.place(of: row.level))
            guard let text = row.text else {
                json.null()
                json.text("")
                json.list { _ in }
                json.text(row.file)
                json.integer(2)
                return
            }
            let content = content(of: text.prefix(16_384))
            if row.isHead, let category = content.category {
                json.text(String(category.prefix(100)))
            } else {
                json.null()
            }
            json.text(
                String(
                    (row.isHead ? content.message : String(decoding: text, as: UTF8.self)).prefix(
                        messageLimit)))
            json.list { json in
                for field in row.isHead ? content.fields.prefix(fieldLimit) : [] {
                    json.list { json in
                        json.text(String(field.name.prefix(100)))
                        json.text(String(field.value.prefix(valueLimit)))
                        json.integer(field.isLiteral ? 1 : 0)
                    }
                }
            }
            json.text(row.file)
            json.integer(row.isHead ? 1 : 0)
        }
    }

    /// Everything that a row says.
    static func writeWhole(_ row: LogRow, numberInAll: Int?, to json: inout ViewJSON) {
        let text = row.text ?? []
        let content = content(of: text.prefix(lineLimit))
        json.object { json in
            json.key("n")
            json.integer(row.number)
            json.key("all")
            if let numberInAll { json.integer(numberInAll) } else { json.null() }
            json.key("gone")
            json.flag(row.text == nil)
            json.key("ns")
            if let moment = content.moment { json.text(String(moment.nanoseconds)) } else { json.null() }
            json.key("ms")
            if let moment = content.moment {
                json.moment(moment.nanoseconds)
            } else {
                json.null()
            }
            json.key("level")
            if let level = content.level { json.text(level.name) } else { json.null() }
            json.key("place")
            json.integer(TimeBins.place(of: row.level))
            json.key("category")
            if let category = content.category { json.text(category) } else { json.null() }
            json.key("message")
            json.text(content.message)
            json.key("fields")
            json.list { json in
                for field in content.fields {
                    json.list { json in
                        json.text(field.name)
                        json.text(field.value)
                        json.integer(field.isLiteral ? 1 : 0)
                    }
                }
            }
            json.key("file")
            json.text(row.file)
            json.key("offset")
            json.integer(row.offset)
            json.key("bytes")
            json.integer(text.count)
            json.key("raw")
            json.text(String(decoding: text.prefix(lineLimit), as: UTF8.self))
        }
    }

    private static func content(of text: ArraySlice<UInt8>) -> LineRecord {
        text.withUnsafeBytes { reader.record(of: $0) }
    }
}
