// swift-format-ignore-file
// Pools of Objective-C, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

public func autoreleasepool<E: Error, Result: ~Copyable>(invoking body: () throws(E) -> Result) throws(E) -> Result { try body() }
