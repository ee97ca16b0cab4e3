import Heartwood

/// What a watch makes of the contents that it sees: pure, so that it can be tested as a table.
///
/// 1. A change counts when two looks in a row have seen the same: an editor that empties a file and then
///    writes it, or puts another one in its place by renaming, is never caught in the middle.
/// 2. Contents are applied once, whether that works or not; they are tried again when they change.
/// 3. The file that has gone leaves everything as it is; an overlay that has gone does not count any more.
struct ConfigurationWatchState {
    /// What the files held; nil where there was none.
    struct Contents: Equatable {
        var main: [UInt8]?
        var overlay: [UInt8]?
    }

    enum Action: Equatable {
        /// All is as it was.
        case wait
        /// Something has changed: look again in a moment.
        case lookAgain
        /// Apply these.
        case apply(Contents)
        /// The file has gone: say so, once.
        case missing
    }

    private(set) var applied: Contents
    private var pending: Contents?
    private var isMissingTold = false

    init(applied: Contents) { self.applied = applied }

    mutating func see(_ contents: Contents) -> Action {
        if contents == applied {
            pending = nil
            isMissingTold = false
            return .wait
        }
        guard contents == pending else {
            pending = contents
            return .lookAgain
        }
        if contents.main == nil, applied.main != nil {
            defer { isMissingTold = true }
            return isMissingTold ? .wait : .missing
        }
        (applied, pending, isMissingTold) = (contents, nil, false)
        return .apply(contents)
    }

    /// Takes note of contents that were applied without being asked for.
    mutating func didApply(_ contents: Contents) {
        (applied, pending, isMissingTold) = (contents, nil, false)
    }
}
