/// The compressed URL of an Eddystone-URL frame: an octet for the scheme, then characters, some of
/// which stand for an ending such as `.com/`.
enum EddystoneURL {
  private static let schemes = ["http://www.", "https://www.", "http://", "https://"]

  private static let endings = [
    ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
  ]

  static func decode(_ bytes: [UInt8]) -> String? {
    guard let scheme = bytes.first, Int(scheme) < schemes.count else { return nil }
    var url = schemes[Int(scheme)]
    for byte in bytes.dropFirst() {
      if Int(byte) < endings.count {
        url += endings[Int(byte)]
      } else if byte > 0x20, byte < 0x7F {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        return nil
      }
    }
    return url
  }

  static func encode(_ url: String) -> [UInt8]? {
    // Schemes with a longer prefix come first.
    guard let scheme = schemes.firstIndex(where: { url.utf8.starts(with: $0.utf8) }) else { return nil }
    var bytes = [UInt8(scheme)]
    var rest = url.utf8.dropFirst(schemes[scheme].utf8.count)
    while let byte = rest.first {
      if let ending = endings.firstIndex(where: { rest.starts(with: $0.utf8) }) {
        bytes.append(UInt8(ending))
        rest = rest.dropFirst(endings[ending].utf8.count)
      } else {
        guard byte > 0x20, byte < 0x7F else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }
}
