/// The system's transport: libcurl on Linux, URLSession on Apple's systems.
public struct PlatformTransport: HTTPTransport, FileBasedTransport {
    package let options: TransportOptions
    #if os(Linux)
    private let transport: CurlTransport
    #else
    private let transport: URLSessionTransport
    #endif

    /// Makes a transport, by default with the certificates and proxies of the system.
    public init(options: TransportOptions = TransportOptions()) {
        self.options = options
        #if os(Linux)
        transport = CurlTransport(options: options)
        #else
        transport = URLSessionTransport(options: options)
        #endif
    }

    /// Sends the request and returns the response.
    ///
    /// - Throws: ``HTTPTransportError`` when no usable response came.
    public func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        try await transport.send(request)
    }
}

/// The system's monitor of the network: netlink on Linux, `NWPathMonitor` on Apple's systems.
public final class PlatformConnectivity: ConnectivityMonitor {
    #if os(Linux)
    private let monitor = NetlinkMonitor()
    #else
    private let monitor = PathMonitor()
    #endif

    /// Makes a monitor, which watches nothing until it is started.
    public init() {}

    /// Begins to watch.
    public func start(_ changed: @escaping @Sendable (Bool) -> Void) { monitor.start(changed) }

    /// Ends watching.
    public func stop() { monitor.stop() }
}
