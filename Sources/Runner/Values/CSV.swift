package import Exchange

/// Comma-separated values (RFC 4180): fields with a comma, a quote or a line end are quoted.
package enum CSV {
  /// A line without its line end. `nothing` is an empty field; lists and records are JSON.
  package static func line(_ values: [Value], _ surroundings: borrowing Surroundings) -> String {
    var text = ""
    for index in values.indices {
      if index > 0 { text += "," }
      text += field(values[index], surroundings)
    }
    // An empty line would be no row.
    return values.count == 1 && text.isEmpty ? "\"\"" : text
  }

  /// The first line of a file with such records, without its line end.
  package static func header(of record: Record) -> String {
    var text = ""
    for index in record.fields.indices {
      if index > 0 { text += "," }
      text += quoted(record.fields[index].key)
    }
    return record.fields.count == 1 && text.isEmpty ? "\"\"" : text
  }

  /// The values of a record in the order of `columns`, or in its own order if there are none.
  package static func line(_ record: Record, columns: [String]? = nil, _ surroundings: borrowing Surroundings) -> String {
    guard let columns else { return line(record.fields.map(\.value), surroundings) }
    return line(columns.map { record[$0] ?? .nothing }, surroundings)
  }

  private static func field(_ value: Value, _ surroundings: borrowing Surroundings) -> String {
    switch value {
    case .nothing: ""
    case .list, .record: quoted(JSON.text(of: value, surroundings))
    case .text(let text): quoted(surroundings.escapesFormulas ? withoutFormula(text) : text)
    default: quoted(TextRendering.text(of: value, surroundings))
    }
  }

  /// Prefixes an apostrophe to a text that a spreadsheet would read as a formula. Numbers are not
  /// changed.
  package static func withoutFormula(_ text: String) -> String {
    guard let first = text.utf8.first, "=+-@\t\r".utf8.contains(first), Double(text) == nil else { return text }
    return "'" + text
  }

  package static func quoted(_ text: String) -> String {
    let mustQuote = text.utf8.contains {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
    }
    if !mustQuote { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// A whole file: records with the columns of the first one, or lists as lines without a header.
  package static func text(of value: Value, _ surroundings: borrowing Surroundings) throws(Failure) -> String {
    let rows: [Value]
    switch value {
    case .record: rows = [value]
    case .list(let list): rows = list
    default: throw .value("`csv` writes a record or a list of records, not \(value.typeName)")
    }
    var text = ""
    var columns: [String]?
    for row in rows {
      switch row {
      case .record(let record):
        if columns == nil {
          columns = record.fields.map(\.key)
          text += header(of: record) + "\n"
        }
        if let extra = record.fields.first(where: { field in columns?.contains(field.key) != true }) {
          throw .value("the first record has no field `\(extra.key)`, so it has no column")
        }
        text += line(record, columns: columns, surroundings) + "\n"
      case .list(let list): text += line(list, surroundings) + "\n"
      default: throw .value("`csv` writes records or lists as rows, not \(row.typeName)")
      }
    }
    return text
  }

  /// The rows as records, with the names in the first row; all values are texts. Missing fields at
  /// the end of a row are `nothing`.
  package static func parse(_ bytes: [UInt8]) throws(Failure) -> Value {
    let rows = try rows(bytes)
    guard let header = rows.first else { return .list([]) }
    var names: Set<ExactText> = []
    // Spreadsheets write columns without a name at the end.
    for name in header where !name.isEmpty && !names.insert(ExactText(name)).inserted {
      throw .value("two columns are named `\(name)`, and a record has each field only once", hint: "rename one in the first row")
    }
    var records: [Value] = []
    for (index, row) in rows.enumerated().dropFirst() {
      guard row.count <= header.count else {
        throw .value("row \(index + 1) has \(row.count) fields, but the header has \(header.count)")
      }
      var record = Record()
      for (column, name) in header.enumerated() { record.set(name, column < row.count ? .text(row[column]) : .nothing) }
      records.append(.record(record))
    }
    return .list(records)
  }

  /// All rows, without empty lines.
  package static func rows(_ bytes: [UInt8]) throws(Failure) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var wasQuoted = false
    // Skip the byte order mark that spreadsheets write.
    var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0

    func text(_ field: [UInt8]) throws(Failure) -> String {
      guard let text = String(validating: field, as: UTF8.self) else { throw .value("row \(rows.count + 1) is not UTF-8") }
      return text
    }

    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "\"") where field.isEmpty && !wasQuoted:
        wasQuoted = true
        var isClosed = false
        while at < bytes.count {
          if bytes[at] == UInt8(ascii: "\"") {
            if at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "\"") {
              at += 1
            } else {
              at += 1
              isClosed = true
              break
            }
          }
          field.append(bytes[at])
          at += 1
        }
        if !isClosed { throw .value("row \(rows.count + 1) has a quote that is never closed") }
      case UInt8(ascii: ","):
        row.append(try text(field))
        field = []
        wasQuoted = false
      case UInt8(ascii: "\r") where at < bytes.count && bytes[at] == UInt8(ascii: "\n"): continue
      case UInt8(ascii: "\n"):
        if !row.isEmpty || !field.isEmpty || wasQuoted {
          row.append(try text(field))
          rows.append(row)
        }
        row = []
        field = []
        wasQuoted = false
      default:
        if wasQuoted { throw .value("row \(rows.count + 1) has text after a closing quote") }
        field.append(byte)
      }
    }
    if !row.isEmpty || !field.isEmpty || wasQuoted {
      row.append(try text(field))
      rows.append(row)
    }
    return rows
  }
}
