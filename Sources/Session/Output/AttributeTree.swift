import Recipe
import Runner
import Vocabulary

/// The output of `tooth info` on a terminal: the services of a device and their contents, from the
/// records that its recipe prints.
package struct AttributeTree {
  private let ascii: Bool
  private var device: String?
  private var facts: [String] = []
  private var services: [Machine.PromptService] = []
  private var values: [UInt16: String] = [:]

  package init(ascii: Bool) { self.ascii = ascii }

  /// Takes a printed line and returns whether it is one of the records. The first one identifies
  /// the device while it is connected.
  mutating func take(_ line: PrintedLine, of machine: borrowing Machine) -> Bool {
    guard let name = line.device, case .record(let record)? = line.values.first, case .int(let number)? = record["handle"],
      let handle = UInt16(exactly: number)
    else { return false }
    if device == nil, let sight = machine.sight(ofDevice: name) { (device, facts, services) = (name, sight.facts, sight.services) }
    guard device == name else { return false }
    if let value = record["value"], !value.isNothing {
      let unit = services.flatMap(\.attributes).first { $0.handle == handle }.flatMap {
        FormatCatalog.plan(forCharacteristic: $0.uuid)?.unit
      }
      values[handle] = Self.text(of: value, machine.surroundings) + (unit.map { " \($0)" } ?? "")
    } else if case .text(let problem)? = record["problem"] {
      values[handle] = "(\(problem))"
    }
    return true
  }

  private static func text(of value: Value, _ surroundings: Surroundings) -> String {
    if case .text = value { return JSON.text(of: value, surroundings) }
    return TextRendering.text(of: value, surroundings)
  }

  /// A service or attribute: its branch, the prefix of its further lines, and its cells.
  private struct Row {
    var branch: String
    var stem: String
    var cells: [String]
    var value = ""
  }

  private var rows: [Row] {
    let (bar, branch, last) = ascii ? ("| ", "|-", "`-") : ("│ ", "├ ", "└ ")
    var rows: [Row] = []
    for (place, service) in services.enumerated() {
      let isLast = place == services.count - 1
      let outer = isLast ? "  " : bar
      rows.append(
        Row(
          branch: isLast ? last : branch, stem: outer + (service.attributes.isEmpty ? "  " : bar),
          cells: [service.name, "", Self.number(service.handle), "\(service.uuid)"]))
      for (place, one) in service.attributes.enumerated() {
        let isLast = place == service.attributes.count - 1
        rows.append(
          Row(
            branch: outer + (isLast ? last : branch), stem: outer + (isLast ? "  " : bar),
            cells: [one.name, one.can.joined(separator: ", "), Self.number(one.handle), "\(one.uuid)"],
            value: values[one.handle].map { Shown.text($0) } ?? ""))
      }
    }
    return rows
  }

  /// - Parameter columns: The width of the terminal. Lines are wider only if a single word is, and
  ///   nothing is omitted.
  func lines(columns: Int) -> [String] {
    guard let device else { return [] }
    let rows = rows
    // A cell that is much wider than the rest does not widen the column.
    let most = [columns * 9 / 20, columns / 4, 6, 10]
    let widths = most.indices.map { place in
      rows.reduce(0) { widest, row in
        let width = Shown.width(of: row.cells[place]) + (place == 0 ? row.branch.count : 0)
        return width > most[place] ? widest : max(widest, width)
      }
    }
    let head = TextTable.stacked([Shown.text(device)] + facts, columns: columns)
    let all = head + rows.flatMap { Self.lines($0, widths, columns: columns) }
    return ascii ? all.map { Shown.ascii($0) } : all
  }

  private static func lines(_ row: Row, _ widths: [Int], columns: Int) -> [String] {
    var widths = widths
    widths[0] -= row.branch.count
    let fits = row.cells.indices.allSatisfy { place in
      // The last one may extend into an empty value.
      Shown.width(of: row.cells[place]) <= widths[place] || place == 3 && row.value.isEmpty
    }
    let room = columns - row.branch.count
    var lines = fits ? TextTable.lines([row.cells + [row.value]], columns: room, widths: widths) : []
    if lines.isEmpty || lines.contains(where: { Shown.width(of: $0) > room }) {
      lines = TextTable.stacked(row.cells + [row.value], columns: room)
    }
    return lines.enumerated().map { ($0 == 0 ? row.branch : row.stem) + $1 }
  }

  private static func number(_ handle: UInt16) -> String { "0x" + Hex.text(handle) }
}
