extension HTTPResponse {
    /// The failure of TLS of which a front server tells by an answer of 400: nothing of the request has
    /// reached whoever takes messages.
    ///
    /// nginx lets the handshake pass without the client certificate that it asks for, and then answers with
    /// one of these titles. Taken for an answer about the messages, they would all seem to be refused.
    var refusalOfConnection: HTTPTransportError? {
        guard status == 400, body.count <= 4096 else { return nil }
        let text = text
        if text.contains("No required SSL certificate was sent") {
            return HTTPTransportError(
                .clientCertificateNeeded,
                "the server requires a client certificate, and none was sent "
                    + "(400 No required SSL certificate was sent)"
            )
        }
        if text.contains("The SSL certificate error") {
            return HTTPTransportError(
                .clientCertificateNeeded,
                "the server does not accept the client certificate (400 The SSL certificate error)")
        }
        if text.contains("The plain HTTP request was sent to HTTPS port") {
            return HTTPTransportError(
                .secureProtocol,
                "the server expects https on this port (400 The plain HTTP request was sent to HTTPS port)")
        }
        return nil
    }
}
