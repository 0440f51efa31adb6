package import Vocabulary

/// A status or reason of a controller: the number and name of an error code (Vol 1, Part F).
package struct HCIStatus: Hashable, Portable {
  package var raw: UInt8

  package init(_ raw: UInt8) { self.raw = raw }

  package static let success = HCIStatus(0x00)
  package static let unknownCommand = HCIStatus(0x01)
  package static let unknownConnection = HCIStatus(0x02)
  package static let hardwareFailure = HCIStatus(0x03)
  package static let authenticationFailure = HCIStatus(0x05)
  package static let keyMissing = HCIStatus(0x06)
  package static let memoryExceeded = HCIStatus(0x07)
  package static let connectionTimeout = HCIStatus(0x08)
  package static let connectionLimitExceeded = HCIStatus(0x09)
  package static let connectionExists = HCIStatus(0x0B)
  package static let commandDisallowed = HCIStatus(0x0C)
  package static let limitedResources = HCIStatus(0x0D)
  package static let unsupportedFeature = HCIStatus(0x11)
  package static let invalidParameters = HCIStatus(0x12)
  package static let remoteUserTerminated = HCIStatus(0x13)
  package static let remoteLowResources = HCIStatus(0x14)
  package static let remotePowerOff = HCIStatus(0x15)
  package static let localHostTerminated = HCIStatus(0x16)
  package static let pairingNotAllowed = HCIStatus(0x18)
  package static let unsupportedRemoteFeature = HCIStatus(0x1A)
  package static let unspecifiedError = HCIStatus(0x1F)
  package static let responseTimeout = HCIStatus(0x22)
  package static let transactionCollision = HCIStatus(0x23)
  package static let pairingWithUnitKeyNotSupported = HCIStatus(0x29)
  package static let controllerBusy = HCIStatus(0x3A)
  package static let unacceptableParameters = HCIStatus(0x3B)
  package static let advertisingTimeout = HCIStatus(0x3C)
  package static let micFailure = HCIStatus(0x3D)
  package static let establishmentFailed = HCIStatus(0x3E)
  package static let unknownAdvertisingIdentifier = HCIStatus(0x42)
  package static let limitReached = HCIStatus(0x43)
  package static let operationCancelled = HCIStatus(0x44)

  package var isSuccess: Bool { raw == 0 }

  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readUInt8() }

  package func write(to writer: inout ByteWriter) { writer.put(raw) }
}

extension HCIStatus: CustomStringConvertible {
  /// The names by number (Vol 1, Part F, 1.3); an empty name is reserved.
  private static let names: [StaticString] = [
    "Success", "Unknown HCI Command", "Unknown Connection Identifier", "Hardware Failure", "Page Timeout",
    "Authentication Failure", "PIN or Key Missing", "Memory Capacity Exceeded", "Connection Timeout",
    "Connection Limit Exceeded", "Synchronous Connection Limit To A Device Exceeded", "Connection Already Exists",
    "Command Disallowed", "Connection Rejected due to Limited Resources",
    "Connection Rejected due to Security Reasons", "Connection Rejected due to Unacceptable BD_ADDR",
    "Connection Accept Timeout Exceeded", "Unsupported Feature or Parameter Value", "Invalid HCI Command Parameters",
    "Remote User Terminated Connection", "Remote Device Terminated Connection due to Low Resources",
    "Remote Device Terminated Connection due to Power Off", "Connection Terminated By Local Host",
    "Repeated Attempts", "Pairing Not Allowed", "Unknown LMP PDU", "Unsupported Remote Feature",
    "SCO Offset Rejected", "SCO Interval Rejected", "SCO Air Mode Rejected",
    "Invalid LMP Parameters / Invalid LL Parameters", "Unspecified Error",
    "Unsupported LMP Parameter Value / Unsupported LL Parameter Value", "Role Change Not Allowed",
    "LMP Response Timeout / LL Response Timeout", "LMP Error Transaction Collision / LL Procedure Collision",
    "LMP PDU Not Allowed", "Encryption Mode Not Acceptable", "Link Key cannot be Changed",
    "Requested QoS Not Supported", "Instant Passed", "Pairing With Unit Key Not Supported",
    "Different Transaction Collision", "", "QoS Unacceptable Parameter", "QoS Rejected",
    "Channel Classification Not Supported", "Insufficient Security", "Parameter Out Of Mandatory Range", "",
    "Role Switch Pending", "", "Reserved Slot Violation", "Role Switch Failed", "Extended Inquiry Response Too Large",
    "Secure Simple Pairing Not Supported By Host", "Host Busy - Pairing",
    "Connection Rejected due to No Suitable Channel Found", "Controller Busy", "Unacceptable Connection Parameters",
    "Advertising Timeout", "Connection Terminated due to MIC Failure", "Connection Failed to be Established",
    "MAC Connection Failed", "Coarse Clock Adjustment Rejected", "Type0 Submap Not Defined",
    "Unknown Advertising Identifier", "Limit Reached", "Operation Cancelled by Host", "Packet Too Long",
    "Too Late", "Too Early",
  ]

  package var name: String {
    guard Int(raw) < Self.names.count else { return "Reserved" }
    let name = Self.names[Int(raw)].description
    return name.isEmpty ? "Reserved" : name
  }

  /// The name and number, such as `Connection Timeout (0x08)`.
  package var description: String { "\(name) (0x\(Hex.text(raw)))" }
}
