import Recipe
import Runner
import Vocabulary

/// `tooth info` on a terminal: the services of a device and what is in them, drawn from the records
/// that its recipe prints.
package struct AttributeTree {
  private let ascii: Bool
  private var device: String?
  private var facts: [String] = []
  private var services: [Machine.PromptService] = []
  private var values: [UInt16: String] = [:]

  package init(ascii: Bool) { self.ascii = ascii }

  /// Whether it is one of the records. The first shows which device it is, while it is connected.
  mutating func take(_ line: PrintedLine, of machine: borrowing Machine) -> Bool {
    guard let name = line.device, case .record(let record)? = line.values.first, case .int(let number)? = record["handle"],
      let handle = UInt16(exactly: number)
    else { return false }
    if device == nil, let sight = machine.sight(ofDevice: name) { (device, facts, services) = (name, sight.facts, sight.services) }
    guard device == name else { return false }
    if let value = record["value"], !value.isNothing {
      values[handle] = Self.text(of: value, record["uuid"], machine.surroundings)
    } else if case .text(let problem)? = record["problem"] {
      values[handle] = "(\(problem))"
    }
    return true
  }

  /// Decoded, where its characteristic has a built-in format.
  private static func text(of value: Value, _ uuid: Value?, _ surroundings: Surroundings) -> String {
    var value = value
    if case .bytes(let bytes) = value {
      guard case .uuid(let uuid)? = uuid, let plan = FormatCatalog.plan(forCharacteristic: uuid),
        let decoded = try? plan.decode(bytes, zone: surroundings.zone)
      else { return Hex.text(bytes) }
      value = decoded
    }
    if case .text = value { return JSON.text(of: value, surroundings) }
    return TextRendering.text(of: value, surroundings)
  }

  /// - Parameter columns: of the terminal. No line is wider, and nothing is left out.
  func lines(columns: Int) -> [String] {
    guard let device else { return [] }
    let (bar, branch, last) = ascii ? ("| ", "|-", "`-") : ("│ ", "├ ", "└ ")
    var rows: [[String]] = []
    for (place, service) in services.enumerated() {
      let isLast = place == services.count - 1
      rows.append([(isLast ? last : branch) + service.name, "", Self.number(service.handle), "\(service.uuid)", ""])
      for (place, one) in service.attributes.enumerated() {
        let stem = (isLast ? "  " : bar) + (place == service.attributes.count - 1 ? last : branch)
        rows.append([
          stem + one.name, one.can.joined(separator: ", "), Self.number(one.handle), "\(one.uuid)",
          values[one.handle].map { Shown.text($0) } ?? "",
        ])
      }
    }
    let head = TextTable.stacked([Shown.name(device)] + facts, columns: columns)
    let all = head + TextTable.lines(rows, columns: columns)
    return ascii ? all.map { Shown.ascii($0) } : all
  }

  private static func number(_ handle: UInt16) -> String { "0x" + Hex.text(handle) }
}
