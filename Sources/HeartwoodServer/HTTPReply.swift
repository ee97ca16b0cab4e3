package import HeartwoodHTTP

/// What an ``HTTPServer`` answers.
package struct HTTPReply: Sendable {
    /// What comes after the head.
    package enum Body: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// What the closure writes, in chunks, on the connection's thread; the answer ends when it returns.
        case stream(@Sendable (HTTPReplyStream) -> Void)
    }

    package var status: Int
    package var headers: HTTPHeaders
    package var body: Body

    package init(status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A short text for a person.
    package static func text(_ status: Int, _ text: String) -> HTTPReply {
        HTTPReply(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array((text + "\n").utf8)))
    }

    /// The words that go with a status.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 303: "See Other"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Answer"
        }
    }
}
