import CHeartwood

/// Call sites and categories by number, without a lock for those that were seen before.
struct NameCache {
    private var sites: [Unmanaged<CallSite>] = []
    private var categories: [Unmanaged<LogCategory.State>] = []

    @inline(__always)
    mutating func site(_ id: UInt32) -> Unmanaged<CallSite> {
        if id < sites.count { return sites[Int(id)] }
        // The place of such a message is not in the table, but in its fields.
        if id == .max { return .passUnretained(CallSite.unknown) }
        sites = CallSiteTable.shared.sites.map { .passUnretained($0) }
        return id < sites.count ? sites[Int(id)] : .passUnretained(CallSite.unknown)
    }

    @inline(__always)
    mutating func category(_ id: UInt32) -> Unmanaged<LogCategory.State> {
        if id < categories.count { return categories[Int(id)] }
        categories = CategoryRegistry.shared.all.map { .passUnretained($0.state) }
        return id < categories.count ? categories[Int(id)] : .passUnretained(LogCategory.default.state)
    }
}
