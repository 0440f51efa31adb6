package import Vocabulary

/// Read Local Supported Features and LE Read Local Supported Features (Vol 4, Part E, 7.4.3 and
/// 7.8.3).
package struct LocalFeatures: Hashable, Portable {
  package var mask: UInt64

  package init(mask: UInt64) {
    self.mask = mask
  }

  package init(reading reader: inout RawSpan) throws(DecodeError) {
    mask = try reader.readUInt64()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(mask)
  }

  /// Whether the LE feature with this bit is supported (Vol 6, Part B, 4.6).
  package func has(_ feature: LEFeature) -> Bool { mask >> UInt64(feature.rawValue) & 1 == 1 }
}
