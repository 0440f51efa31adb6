package import Vocabulary

/// A failure: its kind, who is to blame, the last exchange and a hint. The exit code follows from
/// the kind.
package struct Failure: Error, Hashable, Sendable {
  /// The kinds of the language, and `cancelled`, which a recipe never sees.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case notFound, unreachable, disconnected, refused, needsPairing, missing, timeout, unsure, adapter, expectation, decode, value,
      file,
      command, user, cancelled, staleBond

    /// The word for the kind in a recipe, such as `not_found`.
    package var word: String {
      switch self {
      case .notFound: "not_found"
      case .unreachable: "unreachable"
      case .disconnected: "disconnected"
      case .refused: "refused"
      case .needsPairing: "needs_pairing"
      case .missing: "missing"
      case .timeout: "timeout"
      case .unsure: "unsure"
      case .adapter: "adapter"
      case .expectation: "expectation"
      case .decode: "decode"
      case .value: "value"
      case .file: "file"
      case .command: "command"
      case .user: "user"
      case .cancelled: "cancelled"
      case .staleBond: "stale_bond"
      }
    }

    /// The exit code of an unhandled failure of this kind.
    package var exitCode: Int32 {
      switch self {
      case .user, .decode, .value, .file, .command: 1
      case .expectation: 4
      case .notFound: 5
      case .unreachable, .disconnected: 6
      case .refused, .needsPairing, .staleBond, .missing: 7
      case .timeout: 8
      case .adapter: 9
      case .unsure: 10
      case .cancelled: 12
      }
    }
  }

  package enum Blame: UInt8, Sendable {
    case bytes, peer, refused, radio, adapter, recipe, ours
  }

  package enum Layer: UInt8, Sendable {
    case hci, l2cap, att, smp, os, recipe
  }

  /// The progress of an effect that must not be repeated.
  package enum Delivery: UInt8, Sendable {
    /// Never left our queue, so it may be sent again.
    case notSent
    case maybe
    /// The link layer acknowledged it, but the peer's response is missing.
    case reachedRadio
  }

  package var kind: Kind
  package var blame: Blame
  package var layer: Layer
  package var message: String
  /// The peer's or the controller's own code, shown as number and name.
  package var code: UInt16?
  /// The last exchange with the peer.
  package var sent: [UInt8]
  package var got: [UInt8]
  package var hint: String?
  package var delivered: Delivery?
  /// At most one. An array keeps a failure small.
  private var faults: [DecodeFault] = []

  /// Where `got` stopped matching its format.
  package var fault: DecodeFault? {
    get { faults.first }
    set { faults = newValue.map { [$0] } ?? [] }
  }

  /// Empty, or the two sides of a comparison that was false.
  private var sides: [String] = []

  /// The two sides of a comparison that was false.
  package var compared: (left: String, right: String)? {
    get { sides.count == 2 ? (sides[0], sides[1]) : nil }
    set { sides = newValue.map { [$0.left, $0.right] } ?? [] }
  }

  /// Whether the adapter was unplugged or the connection to it ended. An adapter that merely does
  /// not work fails in the layer `hci`.
  package var endsConnection: Bool { kind == .adapter && layer == .os && blame == .adapter }

  /// Whether the device was reached but it or its bond allows no link. The next attempt would fail
  /// in the same way.
  package var isRefusalOfLink: Bool {
    switch kind {
    case .refused, .needsPairing, .staleBond, .missing, .file: true
    // Our bond with the device belongs to another adapter.
    case .adapter: layer == .smp
    default: false
    }
  }

  package init(
    _ kind: Kind, _ message: String, blame: Blame = .peer, layer: Layer = .recipe, code: UInt16? = nil, sent: [UInt8] = [],
    got: [UInt8] = [], hint: String? = nil, delivered: Delivery? = nil
  ) {
    self.kind = kind
    self.message = message
    self.blame = blame
    self.layer = layer
    self.code = code
    self.sent = sent
    self.got = got
    self.hint = hint
    self.delivered = delivered
  }
}

extension Failure: Durable {
  /// A bit in the octet of `delivered`: a fault follows.
  private static let hasFault: UInt8 = 0x80
  /// A bit in the same octet: the two sides of a comparison follow.
  private static let hasSides: UInt8 = 0x40

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let rawKind = try reader.readUInt8()
    guard let kind = Kind(rawValue: rawKind) else { throw .invalid("failure kind", UInt64(rawKind)) }
    let rawBlame = try reader.readUInt8()
    guard let blame = Blame(rawValue: rawBlame) else { throw .invalid("failure blame", UInt64(rawBlame)) }
    let rawLayer = try reader.readUInt8()
    guard let layer = Layer(rawValue: rawLayer) else { throw .invalid("failure layer", UInt64(rawLayer)) }
    self.init(kind, try reader.readText(), blame: blame, layer: layer)
    code = try reader.readBool() ? try reader.readUInt16() : nil
    sent = try reader.readBlob()
    got = try reader.readBlob()
    hint = try reader.readBool() ? try reader.readText() : nil
    let flags = try reader.readUInt8()
    let rawDelivery = flags & ~(Self.hasFault | Self.hasSides)
    guard rawDelivery <= 3 else { throw .invalid("failure delivery", UInt64(flags)) }
    delivered = rawDelivery == 0 ? nil : Delivery(rawValue: rawDelivery - 1)
    if flags & Self.hasFault != 0 { fault = try DecodeFault(reading: &reader) }
    if flags & Self.hasSides != 0 { sides = [try reader.readText(), try reader.readText()] }
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(kind.rawValue)
    writer.put(blame.rawValue)
    writer.put(layer.rawValue)
    writer.put(text: message)
    writer.put(code != nil)
    if let code { writer.put(code) }
    writer.put(blob: sent)
    writer.put(blob: got)
    writer.put(hint != nil)
    if let hint { writer.put(text: hint) }
    writer.put(
      (delivered.map { $0.rawValue + 1 } ?? 0) | (faults.isEmpty ? 0 : Self.hasFault)
        | (sides.isEmpty ? 0 : Self.hasSides))
    fault?.write(to: &writer)
    if let compared {
      writer.put(text: compared.left)
      writer.put(text: compared.right)
    }
  }
}
