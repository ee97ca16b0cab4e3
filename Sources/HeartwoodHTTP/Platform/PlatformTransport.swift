/// The transport that the system offers.
public enum PlatformTransport {
    /// Makes the system's transport: libcurl on Linux, URLSession on Apple's systems.
    public static func make(options: TransportOptions = TransportOptions()) -> any HTTPTransport {
        #if os(Linux)
        CurlTransport(options: options)
        #else
        URLSessionTransport(options: options)
        #endif
    }
}
