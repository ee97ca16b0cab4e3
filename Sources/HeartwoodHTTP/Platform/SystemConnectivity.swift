func systemConnectivityMonitor() -> any ConnectivityMonitor {
    #if os(Linux)
    NetlinkMonitor()
    #else
    PathMonitor()
    #endif
}
