#if os(Linux)
import Foundation
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// nginx with TLS in front of a loopback server: one port for everybody, and one for clients that show a certificate.
///
/// The authority, the server's and the client's certificates are made for this run.
final class SecureFront {
    /// What arrives.
    let server: LoopbackServer
    let address: String
    /// Asks for a client certificate.
    let strictAddress: String
    /// Takes any certificate of the authority, and requests from `client` alone.
    let namedAddress: String
    private(set) var pin = ""
    private let directory: TemporaryDirectory
    private let nginx: RealProgram

    /// Starts it; nil, with the reason printed, where nginx or openssl is missing.
    init?() throws {
        guard let nginx = RealProgram.find("nginx"), RealProgram.find("openssl") != nil else { return nil }
        server = try LoopbackServer()
        directory = try TemporaryDirectory()
        let ports = RealProgram.freePorts(3)
        address = "https://localhost:\(ports[0])/"
        strictAddress = "https://localhost:\(ports[1])/"
        namedAddress = "https://localhost:\(ports[2])/"
        let place = directory.path
        let script = """
            set -e; cd '\(place)'; mkdir logs tmp
            new() { openssl req -newkey rsa:2048 -nodes -keyout $1.key -subj "/CN=$1" "${@:2}"; }
            for ca in ca other; do new $ca -x509 -days 2 -out $ca.crt; done
            for name in localhost client; do
                new $name -out $name.csr
                printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > $name.ext
                openssl x509 -req -in $name.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
                    -extfile $name.ext -out $name.crt
            done
            new stranger -out stranger.csr
            openssl x509 -req -in stranger.csr -CA other.crt -CAkey other.key -CAcreateserial -days 2 -out stranger.crt
            openssl x509 -in localhost.crt -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | openssl base64 > pin
            """
        guard try RealProgram.output("/bin/bash", ["-c", script]) != nil else {
            print("skipped: openssl could not make certificates")
            return nil
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path tmp/\($0);" }.joined(separator: " ")
        let both = "ssl_certificate localhost.crt; ssl_certificate_key localhost.key;"
        let pass = "location / { proxy_pass http://127.0.0.1:\(server.port); }"
        try directory.write(
            "nginx.conf",
            Array(
                """
                daemon off; pid nginx.pid; error_log logs/error.log; events {}
                http {
                    access_log off; \(temporary)
                    server { listen 127.0.0.1:\(ports[0]) ssl; \(both) \(pass) }
                    server {
                        listen 127.0.0.1:\(ports[1]) ssl; \(both) \(pass)
                        ssl_client_certificate ca.crt; ssl_verify_client on;
                    }
                    server {
                        listen 127.0.0.1:\(ports[2]) ssl; \(both) \(pass)
                        ssl_client_certificate ca.crt; ssl_verify_client on; keepalive_timeout 600s;
                        if ($ssl_client_s_dn != "CN=client") { return 403; }
                    }
                }
                """.utf8))
        self.nginx = try RealProgram(
            nginx, ["-p", place, "-c", place + "/nginx.conf"], in: place, listeningOn: ports[1])
        let text = String(decoding: try directory.read("pin"), as: UTF8.self)
        pin = "sha256//" + text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { stop() }

    /// The path of a certificate or key: `ca.crt`, `other.crt`, `client.crt`, `client.key`, `stranger.crt`, `stranger.key`.
    func file(_ name: String) -> String { directory.path + "/" + name }

    /// Gives the server, while it runs, a certificate of the authority `other`.
    func changeAuthority() throws {
        let script = """
            set -e; cd '\(directory.path)'
            openssl x509 -req -in localhost.csr -CA other.crt -CAkey other.key -CAcreateserial -days 2 \
                -extfile localhost.ext -out localhost.crt
            cp other.crt ca.crt
            \(RealProgram.find("nginx") ?? "nginx") -p . -c "$PWD/nginx.conf" -s reload
            """
        _ = try RealProgram.output("/bin/bash", ["-c", script])
    }

    func stop() {
        nginx.stop()
        server.stop()
    }
}
#endif
