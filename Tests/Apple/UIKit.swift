// swift-format-ignore-file
// Colors of iOS, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

@_exported public import Foundation

open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { super.init() }
    @discardableResult
    open func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool { false }
}

@MainActor open class UIResponder: NSObject {}
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}
@MainActor open class UIApplication: UIResponder {
    open class var shared: UIApplication { fatalError() }
    open func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil)
        -> UIBackgroundTaskIdentifier
    { .invalid }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
@MainActor open class UIScene: UIResponder {}
@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    func sceneDidEnterBackground(_ scene: UIScene)
    func sceneWillEnterForeground(_ scene: UIScene)
}
@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {}
