import Recipe
import Runner
import Session
import Vocabulary

/// `tooth names WORD`: searches the names of the Bluetooth SIG and the built-in formats.
enum NamesCommand {
  private struct Row {
    var kind: String
    var name: String
    var uuid: String?
    var format: String?
  }

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard arguments.words.contains(where: { !$0.isEmpty }) else {
      throw UsageError("tooth names needs a word or a UUID", hint: "tooth names battery, or tooth names 0x2A19")
    }
    let rows = find(arguments.words)
    guard !rows.isEmpty else {
      let asked = arguments.words.joined(separator: " ")
      let near = SIGNames.suggestions(for: arguments.words[0], kinds: [.service, .characteristic, .descriptor]).first
      console.complain("nothing is named \(asked)", hint: near.map { "did you mean \($0)?" })
      return 1
    }
    show(rows, console)
    return 0
  }

  private static func find(_ words: [String]) -> [Row] {
    if words.count == 1, let uuid = UUID(words[0]) {
      return AssignedNumbers.Kind.allCases.filter { $0 != .appearance }.compactMap { kind in
        AssignedNumbers.name(of: uuid, kind: kind).map {
          Row(kind: word(kind), name: $0, uuid: "\(uuid)", format: format($0, kind))
        }
      }
    }
    var rows = AssignedNumbers.names(containing: words).map { entry in
      Row(kind: word(entry.kind), name: entry.name, uuid: "\(UUID(entry.number))", format: format(entry.name, entry.kind))
    }
    let wanted = words.map { $0.lowercased() }
    for name in AssignedNumbers.allNames(.service) where wanted == [name] && rows.isEmpty {
      rows.append(Row(kind: word(.service), name: name, uuid: AssignedNumbers.service(named: name).map { "\($0)" }, format: nil))
    }
    for name in FormatCatalog.names where AssignedNumbers.characteristic(named: name) == nil {
      guard wanted.allSatisfy({ word in name.split(separator: "_").contains { $0.hasPrefix(word) } }) else { continue }
      rows.append(Row(kind: "format", name: name, uuid: nil, format: FormatCatalog.summary(of: name)))
    }
    return rows
  }

  private static func word(_ kind: AssignedNumbers.Kind) -> String {
    switch kind {
    case .service: "service"
    case .characteristic: "characteristic"
    case .descriptor: "descriptor"
    case .appearance: "appearance"
    }
  }

  private static func format(_ name: String, _ kind: AssignedNumbers.Kind) -> String? {
    kind == .characteristic ? FormatCatalog.summary(of: name) : nil
  }

  private static func show(_ rows: [Row], _ console: Console) {
    if console.style.format == .text {
      let cells = rows.map { [$0.name, $0.kind, $0.uuid ?? "-", $0.format ?? ""] }
      for line in TextTable.lines(cells, columns: console.columns, widths: [0, 15, 6]) { console.print(line + "\n") }
      return
    }
    if console.style.format == .csv { console.print("kind,name,uuid,format\n") }
    for row in rows {
      switch console.style.format {
      case .text: break
      case .csv:
        console.print([row.kind, row.name, row.uuid ?? "", row.format ?? ""].map { CSV.quoted($0) }.joined(separator: ",") + "\n")
      case .json:
        var object = JSONObject()
        object.set("kind", row.kind)
        object.set("name", row.name)
        object.set("uuid", row.uuid)
        object.set("format", row.format)
        console.print(object.text + "\n")
      }
    }
  }
}
