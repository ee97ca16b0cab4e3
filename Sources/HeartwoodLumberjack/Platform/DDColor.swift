import Heartwood

#if canImport(UIKit)
public import UIKit

/// A color of the user interface.
public typealias DDColor = UIColor
#elseif canImport(AppKit)
public import AppKit

/// A color of the user interface.
public typealias DDColor = NSColor
#else
/// A color.
public typealias DDColor = CLIColor
#endif

/// All contexts, for colors that apply to each of them.
public let LOG_CONTEXT_ALL = Int32.max

/// Makes a color from red, green and blue.
///
/// - Parameters:
///   - red: The red component, 0 to 255.
///   - green: The green component, 0 to 255.
///   - blue: The blue component, 0 to 255.
/// - Returns: The color.
public func DDMakeColor(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat) -> DDColor {
    #if canImport(UIKit)
    DDColor(red: red / 255, green: green / 255, blue: blue / 255, alpha: 1)
    #else
    DDColor(calibratedRed: red / 255, green: green / 255, blue: blue / 255, alpha: 1)
    #endif
}

extension ConsoleColor {
    /// The color on a terminal; where that has fewer colors, the nearest one is taken.
    init(_ color: DDColor) {
        var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
        #if canImport(UIKit)
        color.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
        #elseif canImport(AppKit)
        // A pattern cannot be converted, and raises an exception if it is asked for components: it is black.
        color.usingColorSpace(.deviceRGB)?.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
        #else
        color.get(red: &red, green: &green, blue: &blue, alpha: &alpha)
        #endif
        let byte = { (part: CGFloat) in UInt8(clamping: Int((min(max(part, 0), 1) * 255).rounded())) }
        self = .rgb(byte(red), byte(green), byte(blue))
    }
}
