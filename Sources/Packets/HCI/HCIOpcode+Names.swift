import Vocabulary

/// Names of commands, and their bits in the mask of Read Local Supported Commands (Vol 4, Part E,
/// 6.27).
extension HCIOpcode: CustomStringConvertible {
  private struct Row {
    let opcode: UInt16
    let octet: UInt8
    let bit: UInt8
    let name: StaticString

    init(_ opcode: UInt16, _ octet: UInt8, _ bit: UInt8, _ name: StaticString) {
      self.opcode = opcode
      self.octet = octet
      self.bit = bit
      self.name = name
    }
  }

  /// Ascending by opcode.
  private static let table: [Row] = [
    Row(0x0406, 0, 5, "Disconnect"),
    Row(0x041D, 2, 7, "Read Remote Version Information"),
    Row(0x0C01, 5, 6, "Set Event Mask"),
    Row(0x0C03, 5, 7, "Reset"),
    Row(0x0C2D, 10, 2, "Read Transmit Power Level"),
    Row(0x0C63, 22, 2, "Set Event Mask Page 2"),
    Row(0x0C7B, 32, 4, "Read Authenticated Payload Timeout"),
    Row(0x0C7C, 32, 5, "Write Authenticated Payload Timeout"),
    Row(0x1001, 14, 3, "Read Local Version Information"),
    Row(0x1002, 14, 4, "Read Local Supported Commands"),
    Row(0x1003, 14, 5, "Read Local Supported Features"),
    Row(0x1005, 14, 7, "Read Buffer Size"),
    Row(0x1009, 15, 1, "Read BD_ADDR"),
    Row(0x1405, 15, 5, "Read RSSI"),
    Row(0x2001, 25, 0, "LE Set Event Mask"),
    Row(0x2002, 25, 1, "LE Read Buffer Size [v1]"),
    Row(0x2003, 25, 2, "LE Read Local Supported Features"),
    Row(0x2005, 25, 4, "LE Set Random Address"),
    Row(0x2006, 25, 5, "LE Set Advertising Parameters"),
    Row(0x2007, 25, 6, "LE Read Advertising Physical Channel Tx Power"),
    Row(0x2008, 25, 7, "LE Set Advertising Data"),
    Row(0x2009, 26, 0, "LE Set Scan Response Data"),
    Row(0x200A, 26, 1, "LE Set Advertising Enable"),
    Row(0x200B, 26, 2, "LE Set Scan Parameters"),
    Row(0x200C, 26, 3, "LE Set Scan Enable"),
    Row(0x200D, 26, 4, "LE Create Connection"),
    Row(0x200E, 26, 5, "LE Create Connection Cancel"),
    Row(0x200F, 26, 6, "LE Read Filter Accept List Size"),
    Row(0x2010, 26, 7, "LE Clear Filter Accept List"),
    Row(0x2011, 27, 0, "LE Add Device To Filter Accept List"),
    Row(0x2012, 27, 1, "LE Remove Device From Filter Accept List"),
    Row(0x2013, 27, 2, "LE Connection Update"),
    Row(0x2014, 27, 3, "LE Set Host Channel Classification"),
    Row(0x2015, 27, 4, "LE Read Channel Map"),
    Row(0x2016, 27, 5, "LE Read Remote Features"),
    Row(0x2017, 27, 6, "LE Encrypt"),
    Row(0x2018, 27, 7, "LE Rand"),
    Row(0x2019, 28, 0, "LE Enable Encryption"),
    Row(0x201A, 28, 1, "LE Long Term Key Request Reply"),
    Row(0x201B, 28, 2, "LE Long Term Key Request Negative Reply"),
    Row(0x201C, 28, 3, "LE Read Supported States"),
    Row(0x2020, 33, 4, "LE Remote Connection Parameter Request Reply"),
    Row(0x2021, 33, 5, "LE Remote Connection Parameter Request Negative Reply"),
    Row(0x2022, 33, 6, "LE Set Data Length"),
    Row(0x2023, 33, 7, "LE Read Suggested Default Data Length"),
    Row(0x2024, 34, 0, "LE Write Suggested Default Data Length"),
    Row(0x2027, 34, 3, "LE Add Device To Resolving List"),
    Row(0x2028, 34, 4, "LE Remove Device From Resolving List"),
    Row(0x2029, 34, 5, "LE Clear Resolving List"),
    Row(0x202A, 34, 6, "LE Read Resolving List Size"),
    Row(0x202B, 34, 7, "LE Read Peer Resolvable Address"),
    Row(0x202C, 35, 0, "LE Read Local Resolvable Address"),
    Row(0x202D, 35, 1, "LE Set Address Resolution Enable"),
    Row(0x202E, 35, 2, "LE Set Resolvable Private Address Timeout"),
    Row(0x202F, 35, 3, "LE Read Maximum Data Length"),
    Row(0x2030, 35, 4, "LE Read PHY"),
    Row(0x2031, 35, 5, "LE Set Default PHY"),
    Row(0x2032, 35, 6, "LE Set PHY"),
    Row(0x2035, 36, 1, "LE Set Advertising Set Random Address"),
    Row(0x2036, 36, 2, "LE Set Extended Advertising Parameters"),
    Row(0x2037, 36, 3, "LE Set Extended Advertising Data"),
    Row(0x2038, 36, 4, "LE Set Extended Scan Response Data"),
    Row(0x2039, 36, 5, "LE Set Extended Advertising Enable"),
    Row(0x203A, 36, 6, "LE Read Maximum Advertising Data Length"),
    Row(0x203B, 36, 7, "LE Read Number of Supported Advertising Sets"),
    Row(0x203C, 37, 0, "LE Remove Advertising Set"),
    Row(0x203D, 37, 1, "LE Clear Advertising Sets"),
    Row(0x2041, 37, 5, "LE Set Extended Scan Parameters"),
    Row(0x2042, 37, 6, "LE Set Extended Scan Enable"),
    Row(0x2043, 37, 7, "LE Extended Create Connection"),
    Row(0x204E, 39, 2, "LE Set Privacy Mode"),
    Row(0x2060, 41, 5, "LE Read Buffer Size [v2]"),
  ]

  private var row: Row? {
    var low = 0
    var high = Self.table.count
    while low < high {
      let middle = (low + high) / 2
      let found = Self.table[middle]
      if found.opcode == raw { return found }
      if found.opcode < raw { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Every command that this host and its simulator know, ascending.
  package static var known: [HCIOpcode] { table.map { HCIOpcode($0.opcode) } }

  package var name: String? { row.map { $0.name.description } }

  package var supportBit: (octet: Int, bit: Int)? { row.map { (Int($0.octet), Int($0.bit)) } }

  /// The name and number, such as `LE Create Connection (0x200d)`.
  package var description: String {
    let number = "0x\(Hex.text(raw).lowercased())"
    guard let name else { return "HCI command \(number)" }
    return "\(name) (\(number))"
  }
}
