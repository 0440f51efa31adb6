import Packets
import Recipe
import Runner
import Vocabulary

/// The secrets of a test: the inputs of its recipes and the secrets that they wrote. No output
/// about the test may contain one.
struct TestSecrets {
  /// The written values and the inputs, as bytes.
  private var values: [[UInt8]] = []
  /// Those that are text, and their digits.
  private var texts: [String] = []

  /// The most secrets. A test with more shows no packets.
  private static let most = 256
  private var isFull = false
  /// The shortest secret to look for; shorter ones occur everywhere.
  private static let shortest = 4
  private static let shortestText = 6
  private static let mark: UInt8 = UInt8(ascii: "*")

  mutating func add(_ value: [UInt8]) {
    guard !value.isEmpty, !values.contains(value) else { return }
    guard values.count < Self.most else {
      isFull = true
      return
    }
    values.append(value)
    if value.count > 2, let text = String(validating: value, as: UTF8.self) { texts.append(text) }
    guard value.count > 1 else { return }
    for separator in ["", " "] {
      let digits = Hex.text(value, separator: separator)
      texts += [digits, digits.uppercased()]
    }
    // Longer ones first, because they may contain shorter ones.
    texts.sort { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }

  mutating func add(_ value: Value) {
    switch value {
    case .text(let text): add(Array(text.utf8))
    case .bytes(let bytes): add(bytes)
    case .list(let list): for value in list { add(value) }
    default: break
    }
  }

  // MARK: Packets

  /// The PDU with zeros in place of what may be a secret.
  func hiding(_ pdu: [UInt8]) -> [UInt8] {
    guard !values.isEmpty, let start = Self.valueStart(pdu), start < pdu.count else { return pdu }
    let value = pdu[start...]
    if isFull || values.contains(where: { $0.elementsEqual(value) }) || isPart(pdu[0], value) {
      return Array(pdu[..<start]) + [UInt8](repeating: 0, count: value.count)
    }
    return hidingPieces(of: pdu, from: start)
  }

  /// Whether it is a part of a long value.
  private func isPart(_ opcode: UInt8, _ value: ArraySlice<UInt8>) -> Bool {
    switch opcode {
    case ATTOpcode.prepareWriteRequest, ATTOpcode.prepareWriteResponse, ATTOpcode.readBlobResponse:
      values.contains { Self.holds($0[...], value) }
    default: false
    }
  }

  private static func holds(_ whole: ArraySlice<UInt8>, _ part: ArraySlice<UInt8>) -> Bool {
    guard part.count <= whole.count else { return false }
    return (whole.startIndex...whole.endIndex - part.count).contains { whole[$0..<$0 + part.count].elementsEqual(part) }
  }

  private func hidingPieces(of bytes: [UInt8], from start: Int) -> [UInt8] {
    var result = bytes
    for value in values where value.count > 1 {
      let least = min(value.count, Self.shortest)
      var place = start
      while place + least <= bytes.count {
        var length = 0
        for from in value.indices where value[from] == bytes[place] {
          var count = 0
          while from + count < value.count, place + count < bytes.count, value[from + count] == bytes[place + count] { count += 1 }
          length = max(length, count)
        }
        if length >= least { for index in place..<place + length { result[index] = 0 } }
        place += max(1, length >= least ? length : 1)
      }
    }
    return result
  }

  /// The H4 packet with its secrets blanked out.
  func hiding(packet: [UInt8]) -> [UInt8] {
    guard !values.isEmpty, packet.first == H4Type.acl.rawValue, packet.count > 9 else { return packet }
    if packet[2] >> 4 & 0b11 == 1 {
      return isFull ? Array(packet[..<5]) + [UInt8](repeating: 0, count: packet.count - 5) : hidingPieces(of: packet, from: 5)
    }
    guard packet[7] == 4, packet[8] == 0 else { return packet }
    return Array(packet[..<9]) + hiding(Array(packet[9...]))
  }

  private static func valueStart(_ pdu: [UInt8]) -> Int? {
    switch pdu.first {
    case ATTOpcode.writeRequest, ATTOpcode.writeCommand, ATTOpcode.handleValueNotification, ATTOpcode.handleValueIndication: 3
    case ATTOpcode.prepareWriteRequest, ATTOpcode.prepareWriteResponse: 5
    case ATTOpcode.readResponse, ATTOpcode.readBlobResponse: 1
    case ATTOpcode.readByTypeResponse: 2
    default: nil
    }
  }

  // MARK: Texts

  func hiding(_ text: String) -> String { texts.reduce(text) { $1.utf8.count > $0.utf8.count ? $0 : $0.replacing($1) } }

  /// Hides secrets in a quoted statement, which may end in the middle of one.
  private func hidingPieces(of text: String) -> String {
    guard text.utf8.contains(0xE2), let longest = texts.first, longest.utf8.count > Self.shortestText else { return text }
    var bytes = Array(text.utf8)
    for secret in texts where secret.utf8.count > Self.shortestText {
      let wanted = Array(secret.utf8)
      var place = 0
      while place + Self.shortestText <= bytes.count {
        var count = 0
        while count < wanted.count, place + count < bytes.count, bytes[place + count] == wanted[count] { count += 1 }
        if count >= Self.shortestText {
          bytes.replaceSubrange(place..<place + count, with: Array(Secret.mark.utf8))
          place += Secret.mark.utf8.count
        } else {
          place += 1
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func hiding(_ finding: Diagnostic) -> Diagnostic {
    var finding = finding
    finding.message = hidingPieces(of: hiding(finding.message))
    finding.label = hidingPieces(of: hiding(finding.label))
    finding.notes = finding.notes.map { hiding($0) }
    for index in finding.facts.indices { finding.facts[index].text = hidingPieces(of: hiding(finding.facts[index].text)) }
    for index in finding.labels.indices { finding.labels[index].text = hiding(finding.labels[index].text) }
    return finding
  }

  /// The text with secrets replaced by as many bytes, so that its ranges stay valid.
  func hiding(_ source: SourceText) -> SourceText {
    var bytes = source.bytes
    for text in texts where text.utf8.count <= bytes.count {
      let wanted = Array(text.utf8)
      var place = 0
      while place + wanted.count <= bytes.count {
        if bytes[place] == wanted[0], bytes[place..<place + wanted.count].elementsEqual(wanted) {
          for index in place..<place + wanted.count { bytes[index] = Self.mark }
          place += wanted.count
        } else {
          place += 1
        }
      }
    }
    return SourceText(name: source.name, bytes: bytes)
  }
}

extension String {
  /// The text with dots in place of each occurrence.
  fileprivate func replacing(_ part: String) -> String {
    let (whole, part) = (Array(utf8), Array(part.utf8))
    var result: [UInt8] = []
    var place = 0
    while place < whole.count {
      if whole[place] == part[0], place + part.count <= whole.count, whole[place..<place + part.count].elementsEqual(part) {
        result += Array(Secret.mark.utf8)
        place += part.count
      } else {
        result.append(whole[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
