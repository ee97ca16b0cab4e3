import SuiteSupport
import Testing

/// All tests of the layer: one after the other, as levels, loggers and files of the shared dispatcher are global.
@Suite("CocoaLumberjack's API", .serialized, .inTurn)
struct LumberjackTests {}
