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
