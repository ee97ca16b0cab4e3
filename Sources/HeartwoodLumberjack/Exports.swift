// A file that imports CocoaLumberjack sees Foundation through it.
@_exported public import Foundation
