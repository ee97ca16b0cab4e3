/// A color, for programs without a user interface.
open class CLIColor: NSObject, @unchecked Sendable {  // constants
    private let red: CGFloat
    private let green: CGFloat
    private let blue: CGFloat
    private let alpha: CGFloat

    /// Makes a color.
    ///
    /// - Parameters:
    ///   - red: 0 to 1.
    ///   - green: 0 to 1.
    ///   - blue: 0 to 1.
    ///   - alpha: 0 to 1; terminals do not show it.
    public init(calibratedRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// Writes the components of the color to the given places.
    ///
    /// - Parameters:
    ///   - red: Gets the red component, 0 to 1; nil skips it.
    ///   - green: Gets the green component, 0 to 1; nil skips it.
    ///   - blue: Gets the blue component, 0 to 1; nil skips it.
    ///   - alpha: Gets the opacity, 0 to 1; nil skips it.
    open func get(
        red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) {
        red?.pointee = self.red
        green?.pointee = self.green
        blue?.pointee = self.blue
        alpha?.pointee = self.alpha
    }
}
