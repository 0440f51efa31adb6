import Journal
import Linux
import Packets
import Runner
import Session
import Vocabulary

/// Explains lost links: `tooth decode FILE.btsnoop` and `tooth runs show RUN --link`.
enum LinkReport {
  private static let limit = 1 << 28

  static func decode(_ path: String, _ console: Console) -> Int32 {
    let bytes: [UInt8]
    do throws(SystemFailure) { bytes = try readFile(path, limit: limit) } catch {
      console.complain(error.isMissing ? "there is no file \(path)" : "\(path) cannot be read: \(error.reason)")
      return 2
    }
    guard let found = try? BtsnoopFile.recover(bytes) else {
      console.complain("\(path) is not a btsnoop file", hint: "--capture writes one; so do btmon -w and Android")
      return 2
    }
    if found.rest > 0 { console.warn("the last \(found.rest) bytes of \(path) are not a complete packet") }
    show(LinkStory(found.file.records), console)
    return 0
  }

  /// Explains the stored packets of a run that ended because of its link or adapter.
  static func show(_ id: RunID, in state: StateDirectory, _ console: Console) -> Int32 {
    guard realPath(state.packets(of: id)) != nil else {
      console.complain(
        "no packets of \(id) were saved",
        hint:
          "packets are saved when a run fails because of a link or its adapter, unless its keeper is another user's; --capture FILE records all"
      )
      return 1
    }
    return decode(state.packets(of: id), console)
  }

  private static func show(_ story: LinkStory, _ console: Console) {
    let zone = LocalTime.rules()
    switch console.style.format {
    case .json: for finding in story.findings { console.print(object(finding, zone).text + "\n") }
    case .csv:
      console.print("time,kind,address,reason,code\n")
      for one in story.findings {
        let cells = ["\(zone.civil(one.time))", one.kind.rawValue, one.address, one.reason, "\(one.code)"]
        console.print(cells.map { CSV.quoted($0) }.joined(separator: ",") + "\n")
      }
    case .text:
      let span = story.begins.flatMap { begins in story.ends.map { LinkStory.span($0 - begins) } } ?? "0.0 s"
      console.print("\(story.packets) packet\(story.packets == 1 ? "" : "s") in \(span)\n")
      if story.findings.isEmpty { console.print("no link was lost, and nothing was refused\n") }
      for finding in story.findings { console.printFolded(text(finding, zone)) }
    }
  }

  private static func text(_ one: LinkStory.Finding, _ zone: TimeZoneRules) -> String {
    let time = String(zone.civil(one.time).description.dropFirst(11).prefix(12).filter { $0 != "Z" })
    var lines: [String] = []
    switch one.kind {
    case .lost:
      lines.append("\(time)  \(one.address) lost\(one.lasted.map { " after \(LinkStory.span($0))" } ?? ""): \(one.reason)")
      if let silent = one.silent, let last = one.last {
        lines.append("  the device sent nothing for \(LinkStory.span(silent)); the last was \(last)")
      } else if one.lasted != nil {
        lines.append("  the device never sent anything")
      }
      if let outstanding = one.outstanding { lines.append("  not answered: \(outstanding)") }
    case .unanswered:
      lines.append("\(time)  \(one.address): \(one.outstanding ?? "a request") had \(one.reason) when this side ended the link")
    case .failed: lines.append("\(time)  a connection failed: \(one.reason)")
    case .refused: lines.append("\(time)  \(one.address) refused \(one.outstanding ?? "a request"): \(one.reason)")
    }
    if !one.signal.isEmpty {
      lines.append("  signal before: \(one.signal.map { "\($0)" }.joined(separator: ", ")) dBm")
    }
    if let usually = one.usually { lines.append("  usually: \(usually)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func object(_ one: LinkStory.Finding, _ zone: TimeZoneRules) -> JSONObject {
    var object = JSONObject()
    object.set("time", zone.civil(one.time).description)
    object.set("kind", one.kind.rawValue)
    object.set("address", one.address)
    object.set("reason", one.reason)
    object.set("code", Int(one.code))
    object.set("lasted_ms", one.lasted.map { Int($0.milliseconds) })
    object.set("silent_ms", one.silent.map { Int($0.milliseconds) })
    object.set("last", one.last)
    object.set("outstanding", one.outstanding)
    object.set("signal", json: "[" + one.signal.map { "\($0)" }.joined(separator: ",") + "]")
    object.set("usually", one.usually)
    return object
  }
}
