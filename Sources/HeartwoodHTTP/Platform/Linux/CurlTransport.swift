#if os(Linux)
import CCurl
import Heartwood
import HeartwoodArchive

/// Sends requests with libcurl; connections are kept open and used again.
///
/// One thread drives all transfers of a transport, and only while there are any. A request waits for no
/// other. TLS 1.2 is the least; the certificate and the host name are always checked.
package final class CurlTransport: FileBasedTransport, @unchecked Sendable {  // `multi` belongs to the loop
    // MARK: Constants (any thread)

    package let options: TransportOptions
    private let multi: OpaquePointer?
    /// The open connections; used by the loop's thread, and when all is over.
    private let sockets = UnsafeMutablePointer<hw_curl_sockets>.allocate(capacity: 1)

    // MARK: Guarded by 'inbox'

    private struct Inbox {
        var isLoopRunning = false
        var arrived: [CurlTransfer] = []
    }
    private let inbox = Locked(Inbox())

    // MARK: Guarded by 'certificates'

    /// The files of certificates as they were at the last request, and how often they have changed.
    private let certificates = Locked<(seen: [FileStatus?], changes: Int)>(([], 0))

    /// A fork waits until no thread holds a lock, and so until the handle's sockets are not inherited.
    private static let making = Locked(())

    /// Makes a transport; nothing is connected or started before the first request.
    package init(options: TransportOptions = TransportOptions()) {
        self.options = options
        sockets.initialize(to: hw_curl_sockets())
        SystemCrypto.keepUntilExit()
        multi = Self.making.withLock { _ in
            hw_curl_prepare() != 0 ? OpaquePointer(hw_curl_multi_make()) : nil
        }
        if let multi {
            _ = hw_curl_multi_set_long(UnsafeMutableRawPointer(multi), CURLMOPT_MAXCONNECTS, 4)
        }
    }

    deinit {
        // The loop keeps the transport alive, so nothing is in flight here.
        if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }
        sockets.deallocate()
    }

    /// Sends the request and returns the answer, whatever its status.
    ///
    /// - Throws: ``HTTPTransportError`` with the reason, one of its own for each way in which TLS can fail.
    package func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        if let refusal = request.refusal { throw refusal }
        guard multi != nil else {
            throw HTTPTransportError(.other, "libcurl could not be initialized")
        }
        let transfer = CurlTransfer(request: request, options: optionsNow)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.start(continuation)
                submit(transfer)
            }
        } onCancel: {
            transfer.cancel()
            wake()
        }
        let response = try result.get()
        if let refusal = response.refusalOfConnection { throw refusal }
        return response
    }

    /// The options, with the paths spelled in another way after each change of a file: libcurl uses a
    /// connection again that was made with certificates of the same paths.
    private var optionsNow: TransportOptions {
        if options.files.isEmpty { return options }
        let calls = SystemCalls()
        let present = options.files.map { try? calls.target($0) }
        let changes = certificates.withLock { certificates in
            if !certificates.seen.isEmpty, certificates.seen != present { certificates.changes += 1 }
            certificates.seen = present
            return certificates.changes
        }
        return options.spelled(changes)
    }

    private func submit(_ transfer: CurlTransfer) {
        let mustStart = inbox.withLock { inbox in
            inbox.arrived.append(transfer)
            defer { inbox.isLoopRunning = true }
            return !inbox.isLoopRunning
        }
        guard mustStart else { return wake() }
        if !DetachedThread.start({ self.run() }) { failAll() }
    }

    /// Makes the loop look round.
    ///
    /// Where none runs there is nothing to look at: a transfer that has not arrived yet is asked when it
    /// does.
    private func wake() {
        if let multi { curl_multi_wakeup(UnsafeMutableRawPointer(multi)) }
    }

    /// Ends what has arrived when there is no thread to carry it.
    private func failAll() {
        let stranded = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.arrived
        }
        for transfer in stranded {
            transfer.finish(.failure(HTTPTransportError(.other, "cannot start a thread for the transfer")))
        }
    }

    // MARK: Owned by the loop's thread

    private func run() {
        guard let multi else { return }
        let handle = UnsafeMutableRawPointer(multi)
        var active: [ObjectIdentifier: CurlTransfer] = [:]

        while let arrived = takeInbox(orEndIfIdle: active.isEmpty) {
            for transfer in arrived {
                if let failure = transfer.isCancelled ? Self.cancellation : transfer.join(handle, sockets) {
                    transfer.finish(.failure(failure))
                } else {
                    active[ObjectIdentifier(transfer)] = transfer
                }
            }
            hw_curl_multi_perform(handle)
            finishCompleted(handle, &active)
            var pause = Duration.seconds(1)
            let unacknowledged = hw_curl_unacknowledged(sockets)
            let isAlone = active.count == 1
            for (id, transfer) in active {
                transfer.look(unacknowledged, isAlone: isAlone)
                let patience = transfer.patience
                pause = min(pause, patience)
                guard transfer.isCancelled || patience == .zero else { continue }
                let failure =
                    transfer.isCancelled
                    ? Self.cancellation
                    : transfer.stall(isRestDropped: isAlone && hw_curl_drop_unsent(sockets) != 0)
                active.removeValue(forKey: id)
                transfer.leave(handle)
                transfer.finish(.failure(failure))
            }
            if !active.isEmpty {
                curl_multi_poll(handle, nil, 0, 1 + Int32(clamping: pause.nanoseconds / 1_000_000), nil)
            }
        }
    }

    private static let cancellation = HTTPTransportError(.cancelled, "the task was cancelled")

    /// What came in; nil, with the loop marked as ended, when there is nothing left to do.
    private func takeInbox(orEndIfIdle isIdle: Bool) -> [CurlTransfer]? {
        inbox.withLock { inbox in
            if isIdle && inbox.arrived.isEmpty {
                inbox.isLoopRunning = false
                return nil
            }
            defer { inbox.arrived = [] }
            return inbox.arrived
        }
    }

    private func finishCompleted(
        _ handle: UnsafeMutableRawPointer, _ active: inout [ObjectIdentifier: CurlTransfer]
    ) {
        var code = CURLE_OK
        while let easy = hw_curl_next_finished(handle, &code) {
            guard let transfer = active.values.first(where: { $0.uses(easy) }) else { continue }
            transfer.look(hw_curl_unacknowledged(sockets), isAlone: active.count == 1)
            let result = transfer.result(code)
            active.removeValue(forKey: ObjectIdentifier(transfer))
            transfer.leave(handle)
            transfer.finish(result)
        }
    }
}
#endif
