/// The file of a run's empty database: what SQLite would write for `RunStore.tables`, at less cost.
///
/// It has SQLite's format (https://www.sqlite.org/fileformat2.html). A test opens the image, checks
/// its integrity, and compares its tables.
enum DatabaseImage {
  static let pageSize = 1024

  /// Returns a page for the header and the schema table, then an empty page for each table, in the
  /// order of their statements.
  static func make() -> [UInt8] {
    var image = [UInt8](repeating: 0, count: pageSize * (RunStore.tables.count + 1))
    putHeader(&image)
    // Cells grow from the end of a page towards its start.
    var end = pageSize
    for (place, table) in RunStore.tables.enumerated() {
      let row: [Field] = [
        .text("table"), .text(table.name), .text(table.name), .number(UInt8(place + 2)), .text(table.statement),
      ]
      let payload = encode(row)
      let cell = varint(payload.count) + varint(place + 1) + payload
      end -= cell.count
      image.replaceSubrange(end..<end + cell.count, with: cell)
      put16(&image, at: 108 + 2 * place, end)
    }
    putPage(&image, at: 100, kind: 0x0D, cells: RunStore.tables.count, content: end)
    for (place, table) in RunStore.tables.enumerated() {
      let start = (place + 1) * pageSize
      var content = pageSize
      if let row = table.firstRow {
        // The key is the row id, which the row itself stores as NULL.
        let payload = encode([.nothing, .number(row)])
        let cell = varint(payload.count) + varint(1) + payload
        content -= cell.count
        image.replaceSubrange(start + content..<start + pageSize, with: cell)
        put16(&image, at: start + 8, content)
      }
      putPage(&image, at: start, kind: table.isIndex ? 0x0A : 0x0D, cells: table.firstRow == nil ? 0 : 1, content: content)
    }
    return image
  }

  private static func putHeader(_ image: inout [UInt8]) {
    image.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    put16(&image, at: 16, pageSize)
    // The write and read versions of a database with a write-ahead log.
    image[18] = 2
    image[19] = 2
    image[21] = 64
    image[22] = 32
    image[23] = 32
    put32(&image, at: 24, 1)
    put32(&image, at: 28, UInt32(image.count / pageSize))
    put32(&image, at: 40, 1)
    put32(&image, at: 44, 4)
    put32(&image, at: 56, 1)
    put32(&image, at: 60, UInt32(RunStore.schema))
    put32(&image, at: 92, 1)
    put32(&image, at: 96, 3_040_001)
  }

  private static func putPage(_ image: inout [UInt8], at place: Int, kind: UInt8, cells: Int, content: Int) {
    image[place] = kind
    put16(&image, at: place + 3, cells)
    put16(&image, at: place + 5, content)
  }

  private enum Field {
    case nothing
    case number(UInt8)
    case text(String)
  }

  /// A record: the length of its header, the type of each field, the fields.
  private static func encode(_ fields: [Field]) -> [UInt8] {
    var kinds: [UInt8] = []
    var body: [UInt8] = []
    for field in fields {
      switch field {
      case .nothing: kinds.append(0)
      case .number(0): kinds.append(8)
      case .number(1): kinds.append(9)
      case .number(let number):
        kinds.append(1)
        body.append(number)
      case .text(let text):
        kinds += varint(13 + 2 * text.utf8.count)
        body += Array(text.utf8)
      }
    }
    return [UInt8(kinds.count + 1)] + kinds + body
  }

  /// A number below 16,384, which is enough for an empty database.
  private static func varint(_ number: Int) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(truncatingIfNeeded: 0x80 | number >> 7), UInt8(number & 0x7F)]
  }

  private static func put16(_ image: inout [UInt8], at place: Int, _ number: Int) {
    image[place] = UInt8(truncatingIfNeeded: number >> 8)
    image[place + 1] = UInt8(truncatingIfNeeded: number)
  }

  private static func put32(_ image: inout [UInt8], at place: Int, _ number: UInt32) {
    for index in 0..<4 { image[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index))) }
  }
}
