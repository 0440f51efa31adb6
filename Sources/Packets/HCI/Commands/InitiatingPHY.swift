package import Vocabulary

/// The parameters of one PHY in LE Extended Create Connection, after the mask of PHYs (Vol 4, Part
/// E, 7.8.66).
package struct InitiatingPHY: Hashable, Portable {
  /// In 0.625 ms.
  package var scanInterval: UInt16
  /// In 0.625 ms.
  package var scanWindow: UInt16
  package var connection: ConnectionParameters

  package init(scanInterval: UInt16, scanWindow: UInt16, connection: ConnectionParameters) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.connection = connection
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    scanInterval = try reader.readUInt16()
    scanWindow = try reader.readUInt16()
    connection = try ConnectionParameters(reading: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(scanInterval)
    writer.put(scanWindow)
    connection.write(to: &writer)
  }
}
