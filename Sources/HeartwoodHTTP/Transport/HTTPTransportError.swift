/// Why a request brought no answer.
public struct HTTPTransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure; a newer version may add kinds.
    public struct Reason: Hashable, Sendable, RawRepresentable {
        /// The reason's name.
        public let rawValue: String

        /// Names a reason; use it to add reasons of your own.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The host's name is not known, or the name servers did not answer.
        public static let cannotResolve = Reason(rawValue: "cannotResolve")
        /// No server listens there, or the network is down.
        public static let cannotConnect = Reason(rawValue: "cannotConnect")
        /// The proxy does not let the request through: it wants credentials, or forbids the address.
        public static let proxyRefused = Reason(rawValue: "proxyRefused")
        /// The connection broke before the answer was complete; the server may have taken the request.
        public static let connectionLost = Reason(rawValue: "connectionLost")
        /// The request did not move for as long as its timeout, or the answer was not complete within it.
        public static let timedOut = Reason(rawValue: "timedOut")
        /// What came back was not HTTP, or its header was too long.
        package static let unusableAnswer = Reason(rawValue: "unusableAnswer")
        /// The task was cancelled.
        public static let cancelled = Reason(rawValue: "cancelled")
        /// The request cannot be sent as it is.
        package static let unusableRequest = Reason(rawValue: "unusableRequest")
        /// Plain `http` to another machine was not asked for by name.
        public static let insecureConnectionRefused = Reason(rawValue: "insecureConnectionRefused")

        /// The server's certificate has expired.
        package static let certificateExpired = Reason(rawValue: "certificateExpired")
        /// The server's certificate is not valid yet, or this machine's clock is wrong.
        package static let certificateNotYetValid = Reason(rawValue: "certificateNotYetValid")
        /// The server's certificate is for another host.
        package static let certificateForOtherHost = Reason(rawValue: "certificateForOtherHost")
        /// The server's certificate was issued by an authority that this machine does not trust, or is
        /// self-signed.
        public static let certificateUntrusted = Reason(
            rawValue: "certificateUntrusted")
        /// The server's certificate was revoked, is malformed, or failed in another way.
        package static let certificateRefused = Reason(rawValue: "certificateRefused")
        /// The server's public key is not one of the pinned ones.
        public static let publicKeyNotPinned = Reason(rawValue: "publicKeyNotPinned")
        /// The server asks for a client certificate, or does not accept ours.
        package static let clientCertificateNeeded = Reason(rawValue: "clientCertificateNeeded")
        /// Our own certificate, key or authority file cannot be used.
        package static let credentialUnusable = Reason(rawValue: "credentialUnusable")
        /// No common version or cipher of TLS (1.2 or later), or no TLS at all on that port.
        public static let secureProtocol = Reason(rawValue: "secureProtocol")

        /// Anything else.
        public static let other = Reason(rawValue: "other")
    }

    /// The kind of failure.
    public let reason: Reason
    /// What happened, for a person; never holds a credential.
    public let message: String
    /// Whether the transfer broke off within the request: a part of it had left, and the server cannot have
    /// all of it.
    ///
    /// A delivery then sends half as much at a time. False where that is not known.
    public let isRequestCut: Bool

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - reason: The kind of failure.
    ///   - message: What happened, for a person, without credentials.
    ///   - isRequestCut: Whether a part of the request had left, and not all of it; false unless given.
    public init(_ reason: Reason, _ message: String, isRequestCut: Bool = false) {
        self.reason = reason
        self.message = message
        self.isRequestCut = isRequestCut
    }

    /// Whether time alone may help; the others are settings or certificates, and need intervention.
    public var isTransient: Bool {
        switch reason {
        case .proxyRefused, .insecureConnectionRefused, .unusableRequest, .certificateExpired,
            .certificateNotYetValid,
            .certificateForOtherHost, .certificateUntrusted, .certificateRefused,
            .publicKeyNotPinned, .clientCertificateNeeded, .credentialUnusable, .secureProtocol:
            false
        default: true
        }
    }

    /// The reason and the message.
    public var description: String { "\(reason.rawValue): \(message)" }
}
