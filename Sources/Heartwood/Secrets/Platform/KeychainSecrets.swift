// Not tested yet: written from the documentation, on a machine that has no keychain.
#if canImport(Security)
import Foundation
import Security

/// Reads secrets from generic passwords in the keychain.
public struct KeychainSecrets: SecretProvider {
    private let service: String

    /// Reads items of this service; the name of a secret is the account of the item.
    public init(service: String) { self.service = service }

    /// Reads the password of an item.
    ///
    /// - Throws: ``LogError`` of code `.secret` when there is no such item or it may not be read now.
    public func secret(named name: String) throws -> Secret {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name,
            kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess, let data = item as? Data, !data.isEmpty else {
            throw LogError(
                .secret, "no such keychain item, or it cannot be read now (OSStatus \(status))",
                place: service + "/" + name)
        }
        return Secret(bytes: Array(data))
    }
}
#endif
