// swift-format-ignore-file
// Colors of the Mac, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

@_exported public import Foundation
open class NSColorSpace: NSObject { open class var deviceRGB: NSColorSpace { fatalError() } }
open class NSColor: NSObject, @unchecked Sendable {
    public convenience init(calibratedRed: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init()
    }
    open func usingColorSpace(_ s: NSColorSpace) -> NSColor? { nil }
    open func getRed(
        _ r: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) {}
}
