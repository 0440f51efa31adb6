package import Vocabulary

/// Where the bytes of a value stop matching a format, for the picture of a failure.
package struct DecodeFault: Hashable, Sendable {
  package var format: String
  package var field: String
  /// The reason, such as `needs 2 bytes at offset 1, and 1 is left`.
  package var reason: String
  /// Whether the bytes ran out.
  package var isShort: Bool
  /// The octets that do not match. In a value that is too short, they run from the start of the
  /// field to the first missing octet.
  package var offset: Int
  package var count: Int
  /// What was decoded before the fault, such as `state = locked`.
  package var known: String
  /// The field in the recipe's text; `none` for a built-in format.
  package var place: SourceRange

  package init(
    format: String, field: String, reason: String, isShort: Bool, offset: Int, count: Int, known: String, place: SourceRange
  ) {
    self.format = format
    self.field = field
    self.reason = reason
    self.isShort = isShort
    self.offset = offset
    self.count = count
    self.known = known
    self.place = place
  }

  /// One sentence, without the place.
  package var summary: String { isShort ? "the value is too short for `\(format)`" : "the value does not fit `\(format)`" }
}

extension DecodeFault: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      format: try reader.readText(), field: try reader.readText(), reason: try reader.readText(), isShort: try reader.readBool(),
      offset: Int(try reader.readUInt32()), count: Int(try reader.readUInt32()), known: try reader.readText(),
      place: try SourceRange(reading: &reader))
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(text: format)
    writer.put(text: field)
    writer.put(text: reason)
    writer.put(isShort)
    writer.put(UInt32(clamping: offset))
    writer.put(UInt32(clamping: count))
    writer.put(text: known)
    place.write(to: &writer)
  }
}
