/// What carries a request to a server and brings the answer back.
///
/// ``PlatformTransport`` is the system's own (libcurl on Linux, URLSession on Apple's
/// systems); a test or a program with a network stack of its own provides another:
///
/// ```swift
/// struct Echo: HTTPTransport {
///     func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
///         HTTPResponse(status: 200, body: request.body)
///     }
/// }
/// ```
///
/// A transport never follows redirects, stores no cookies, keeps 64 KiB of an answer at
/// most, refuses plain `http` to another machine unless the request allows it, and ends when for the
/// request's timeout neither the request moves nor the answer is there. One that limits the whole time says
/// so by ``HTTPTransportError/isRequestCut``, so that the delivery sends less at a time.
public protocol HTTPTransport: Sendable {
    /// Sends the request and returns the answer, whatever its status; ends soon when the task is cancelled.
    ///
    /// - Throws: ``HTTPTransportError`` when no usable answer came. The server may have taken the request all
    ///   the same.
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse
}

/// A transport that reads files of certificates for each connection.
package protocol FileBasedTransport: HTTPTransport {
    var options: TransportOptions { get }
}

/// Tells whether there is a network, and when that changes.
///
/// ```swift
/// final class Always: ConnectivityMonitor {
///     func start(_ changed: @escaping @Sendable (Bool) -> Void) { changed(true) }
///     func stop() {}
/// }
/// ```
public protocol ConnectivityMonitor: AnyObject, Sendable {
    /// Begins to watch; calls `changed` soon with the present state, and again when routes or addresses
    /// change, on any thread.
    func start(_ changed: @escaping @Sendable (Bool) -> Void)

    /// Ends watching; `changed` is not called any more after it has returned, but for a call under way.
    func stop()
}
