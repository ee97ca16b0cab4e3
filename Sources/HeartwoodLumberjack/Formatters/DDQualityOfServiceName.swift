/// The short name of a quality of service.
public struct DDQualityOfServiceName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `UI`: user interactive.
    public static let userInteractive = DDQualityOfServiceName(rawValue: "UI")
    /// `IN`: user initiated.
    public static let userInitiated = DDQualityOfServiceName(rawValue: "IN")
    /// `DF`: the default.
    public static let `default` = DDQualityOfServiceName(rawValue: "DF")
    /// `UT`: utility.
    public static let utility = DDQualityOfServiceName(rawValue: "UT")
    /// `BG`: background.
    public static let background = DDQualityOfServiceName(rawValue: "BG")
    /// `UN`: unspecified.
    public static let unspecified = DDQualityOfServiceName(rawValue: "UN")
}
