package import Vocabulary

/// A link parameter that a client requests. The two controllers decide; `LinkInfo` has the result.
package enum LinkRequest: Equatable, Sendable {
  /// The PHY for both directions.
  case phy(PHY)
  /// The shortest and longest connection interval in 1.25 ms, 6 to 3200, and the number of
  /// connection events that the peripheral may skip, 0 to 499.
  case interval(shortest: UInt16, longest: UInt16, latency: UInt16)

  package enum PHY: UInt8, CaseIterable, Sendable {
    case le1M = 1
    case le2M = 2
    case coded = 3

    /// The name in `LinkInfo`.
    package var name: String {
      switch self {
      case .le1M: "1M"
      case .le2M: "2M"
      case .coded: "coded"
      }
    }

    package init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }
  }

  /// Whether both request the same parameter.
  package func isSameKind(as other: LinkRequest) -> Bool {
    switch (self, other) {
    case (.phy, .phy), (.interval, .interval): true
    default: false
    }
  }
}

extension LinkRequest: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0:
      let raw = try reader.readUInt8()
      guard let phy = PHY(rawValue: raw) else { throw .invalid("PHY", UInt64(raw)) }
      self = .phy(phy)
    case 1:
      let (shortest, longest) = (try reader.readUInt16(), try reader.readUInt16())
      let latency = try reader.readUInt16()
      guard (6...3200).contains(shortest), (shortest...3200).contains(longest), latency < 500 else {
        throw .invalid("connection interval", UInt64(shortest))
      }
      self = .interval(shortest: shortest, longest: longest, latency: latency)
    case let other: throw .invalid("link request", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .phy(let phy):
      writer.put(UInt8(0))
      writer.put(phy.rawValue)
    case .interval(let shortest, let longest, let latency):
      writer.put(UInt8(1))
      writer.put(shortest)
      writer.put(longest)
      writer.put(latency)
    }
  }
}
