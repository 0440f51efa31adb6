import Vocabulary

/// Codes of management commands (BlueZ, doc/mgmt-api.txt).
package struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let readIndexList = ManagementOpcode(rawValue: 0x0003)
  package static let readControllerInfo = ManagementOpcode(rawValue: 0x0004)
  package static let setPowered = ManagementOpcode(rawValue: 0x0005)
  package static let disconnect = ManagementOpcode(rawValue: 0x0014)
  package static let getConnections = ManagementOpcode(rawValue: 0x0015)
}

/// The result of a management command.
package struct ManagementStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let success = ManagementStatus(rawValue: 0x00)
  package static let busy = ManagementStatus(rawValue: 0x0A)
  package static let notPowered = ManagementStatus(rawValue: 0x0F)
  package static let invalidIndex = ManagementStatus(rawValue: 0x11)
  package static let blocked = ManagementStatus(rawValue: 0x12)
  package static let permissionDenied = ManagementStatus(rawValue: 0x14)

  private static let names = [
    "success", "unknown command", "not connected", "failed", "connect failed", "authentication failed", "not paired",
    "no resources", "timeout", "already connected", "busy", "rejected", "not supported", "invalid parameters", "disconnected",
    "not powered", "cancelled", "invalid index", "blocked by rfkill", "already paired", "permission denied",
  ]

  package var description: String {
    Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "status 0x\(Hex.text(rawValue))"
  }
}
