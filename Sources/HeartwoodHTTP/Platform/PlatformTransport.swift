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

/// The connectivity monitor that the system offers.
public enum PlatformConnectivity {
    /// Makes the system's monitor: netlink on Linux, `NWPathMonitor` on Apple's systems.
    public static func make() -> any ConnectivityMonitor {
        #if os(Linux)
        NetlinkMonitor()
        #else
        PathMonitor()
        #endif
    }
}
