import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// `tooth decode FORMAT HEX`: maps bytes to fields. For a capture, explains lost links.
enum DecodeCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard let name = arguments.words.first else {
      throw UsageError("tooth decode needs a format and bytes", hint: "tooth decode heart_rate_measurement 16 3d 40 03")
    }
    if arguments.words.count == 1, name.hasSuffix(".btsnoop") || realPath(name) != nil && FormatCatalog.plan(named: name) == nil {
      return LinkReport.decode(name, console)
    }
    let plan = try plan(name)
    // Accept colons and dashes between bytes, as printed by other programs.
    let digits = arguments.words.dropFirst().map { word in
      String(
        decoding: (word.hasPrefix("0x") ? Array(word.utf8.dropFirst(2)) : Array(word.utf8)).map {
          $0 == 0x3A || $0 == 0x2D ? 0x20 : $0
        }, as: UTF8.self)
    }.joined(separator: " ")
    guard !digits.isEmpty else {
      throw UsageError("tooth decode \(name) needs bytes", hint: "hex digits, for example 16 3d 40 03")
    }
    guard let bytes = Hex.bytes(digits) else { throw UsageError("the bytes must be hex digits like 16 3d 40 03, not \(digits)") }
    let zone = LocalTime.rules()
    let (trace, _, fault) = plan.explain(bytes, zone: zone)
    show(trace.entries, bytes, Surroundings(zone: zone), console)
    guard let fault else {
      if let rest = trace.entries.last, rest.name == "rest", rest.count > 0, rest.offset + rest.count == bytes.count {
        let bytes = rest.count == 1 ? "the last byte is" : "the last \(rest.count) bytes are"
        console.note("note: \(bytes) not part of \(name)")
      }
      return 0
    }
    let failure = plan.failure(fault, bytes, zone: zone)
    console.complain(failure.message)
    if let picture = failure.fault {
      let fact = FailureText.picture(of: bytes, picture)
      console.say("  = \(fact.text)\n    \(fact.marks)\n")
    }
    return 1
  }

  private static func plan(_ name: String) throws(UsageError) -> FormatPlan {
    if let plan = FormatCatalog.plan(named: name) { return plan }
    if let uuid = UUID(name), let plan = FormatCatalog.plan(forCharacteristic: uuid) { return plan }
    if SIGNames.isCharacteristic(name) || UUID(name) != nil {
      throw UsageError("there is no built-in format of \(name)", hint: "declare one in a recipe: man tooth-recipe, FORMATS")
    }
    let near = Spelling.nearest(to: name, among: FormatCatalog.names)
    throw UsageError(
      "there is no format \(name)" + (near.map { " — did you mean \($0)?" } ?? ""),
      hint: near == nil ? "tooth names lists formats by a word in their name" : nil)
  }

  private static func show(_ entries: [FormatTrace.Entry], _ bytes: [UInt8], _ surroundings: Surroundings, _ console: Console) {
    if console.style.format == .csv { console.print("offset,bytes,field,value\n") }
    let rows = entries.map { entry in
      let part = bytes[min(entry.offset, bytes.count)..<min(entry.offset + entry.count, bytes.count)]
      let value = text(of: entry, surroundings, isASCII: console.style.ascii)
      return (entry: entry, name: plainName(of: entry), hex: Hex.text(part), text: Shown.text(value))
    }
    let hexWidth = min(24, rows.map(\.hex.utf8.count).max() ?? 0)
    let nameWidth = min(32, rows.map(\.name.utf8.count).max() ?? 0)
    for row in rows {
      switch console.style.format {
      case .text:
        let unit = row.entry.value == .nothing ? "" : row.entry.unit.map { " \($0)" } ?? ""
        let offset = HelpText.padded("\(row.entry.offset)", 3)
        console.printFolded(
          "\(offset)\(HelpText.padded(row.hex, hexWidth))  \(HelpText.padded(row.name, nameWidth))  \(row.text)\(unit)\n")
      case .csv:
        console.print("\(row.entry.offset),\(row.hex),\(CSV.quoted(row.name)),\(CSV.quoted(row.text))\n")
      case .json:
        var object = JSONObject()
        object.set("offset", row.entry.offset)
        object.set("bytes", row.hex)
        object.set("field", row.name)
        object.set("value", json: JSON.text(of: row.entry.value, surroundings))
        console.print(object.text + "\n")
      }
    }
  }

  /// Whether the field only checks the bytes and is not part of the value.
  private static func isCheck(_ entry: FormatTrace.Entry) -> Bool { entry.name.split(separator: ".").last?.first == "_" }

  /// The name of a field, without the `_` of one that only checks the bytes.
  private static func plainName(of entry: FormatTrace.Entry) -> String {
    guard isCheck(entry) else { return entry.name }
    return entry.name.split(separator: ".").map { $0.drop { $0 == "_" } }.joined(separator: ".")
  }

  /// The value of a row. Bits are joined as in `wide false · contact good`, and a number that only
  /// checks the bytes is in hexadecimal.
  private static func text(of entry: FormatTrace.Entry, _ surroundings: Surroundings, isASCII: Bool) -> String {
    if isCheck(entry), case .int(let number) = entry.value { return Hex.prefixed(number, octets: entry.count) }
    guard entry.isBits, case .record(let record) = entry.value else { return TextRendering.text(of: entry.value, surroundings) }
    return record.fields.map { "\($0.key) \(TextRendering.text(of: $0.value, surroundings))" }.joined(
      separator: isASCII ? " - " : " · ")
  }
}
