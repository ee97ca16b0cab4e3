/// How the tool ends.
enum ExitStatus: Equatable {
    /// All is done.
    case success
    /// Something could not be read, written or delivered; standard error says what.
    case failure
    /// The same for a command that, as grep does, says with 1 that there was nothing to find.
    case trouble
    /// The arguments made no sense.
    case usage

    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .trouble, .usage: 2
        }
    }
}
