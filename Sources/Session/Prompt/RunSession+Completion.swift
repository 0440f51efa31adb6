import Linux
import Recipe
import Runner
import Vocabulary

/// What Tab offers at a prompt.
extension RunSession {
  package func completions(of line: String, word: Int) -> [String] {
    let before = (prompt?.draft ?? "") + String(decoding: line.utf8.dropLast(word), as: UTF8.self)
    let words = line.utf8.dropLast(word).split { $0 == 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    let begun = String(decoding: line.utf8.suffix(word), as: UTF8.self)
    if words.isEmpty, begun.isEmpty, prompt?.draft.isEmpty ?? false, let offer = prompt?.offer { return [offer] }
    if let folder = PromptFiles.folder(of: begun, after: before) {
      editor?.glue()
      return PromptFiles.names(begun, in: absolute(folder, in: options.directory), folder)
    }
    if let point = begun.lastIndex(of: ".") {
      let path = String(begun[..<point])
      return machine.promptFields(of: path, settable: words.last == "set").map { "\(path).\($0)" }
    }
    if let arguments = wordArguments(words) { return arguments }
    var found: [String] = []
    switch words.last {
    case nil: found = StatementForms.words + PromptWord.all.map(\.name)
    case "for" where words.first == "scan", "strongest" where words.first == "scan": found = deviceNames.map { "\"\($0)\"" }
    case "\"" where words.first == "scan": return deviceNames.map { "\($0)\"" }
    case let last? where last.hasSuffix(";") || last.hasSuffix(":"): found = StatementForms.words
    default: break
    }
    let expected = RecipeFile.expectation(after: before)
    found += expected.words + named(expected.parts, words, begun)
    var known: Set<String> = []
    return found.filter { known.insert($0).inserted && prompt?.book.isTakenBack($0) != true }
  }

  /// What can be named where such parts are expected.
  private func named(_ parts: Expectation.Parts, _ words: [String], _ begun: String) -> [String] {
    var found: [String] = []
    let names = machine.completableNames
    let procedures = (prompt?.book.procedures ?? []).map { $0 + "(" }
    if parts.contains(.device) { found += offeredDevices.map(\.address) + names.devices }
    if parts.contains(.attribute) { found += attributes(begun, for: words) + names.attributes }
    if parts.contains(.handledEvent) { found += Expectation.handledEvents }
    if parts.contains(.awaitedEvent) { found += Expectation.awaitedEvents }
    if parts.contains(.variable) { found += names.values + ["device"] }
    if parts.contains(.value) {
      found += names.values + ["it", "device"] + procedures
      // There are too many to list.
      if !begun.isEmpty { found += BuiltIn.names.map { $0 + "(" } }
    }
    return words.isEmpty ? found + procedures : found
  }

  /// What may follow a word of the prompt; `nil` if the line begins a statement.
  private func wordArguments(_ words: [String]) -> [String]? {
    guard prompt?.draft.isEmpty ?? false, let first = words.first else { return nil }
    switch (first, words.count) {
    case ("help", 1): return StatementForms.words + PromptWord.all.map(\.name)
    case ("events", 1): return ["on", "off"]
    case ("undo", 1): return prompt?.book.newest.map { ["\($0)"] } ?? []
    case ("save", 1): return ["recipe"] + machine.completableNames.values
    case ("save", 2) where words[1] == "recipe": return []
    case ("help", _), ("events", _), ("undo", _), ("quit", _), ("devices", _), ("handlers", _), ("history", _), ("status", _):
      return []
    default: return nil
    }
  }

  /// The discovered attributes with which the statement can do what it says. If no discovered one
  /// begins with `begun`, all assigned names.
  private func attributes(_ begun: String, for words: [String]) -> [String] {
    let verb = words.last { ["read", "write", "subscribe", "unsubscribe", "notify"].contains($0) }
    let all = knownAttributes.map(\.attribute)
    let fitting = all.filter { attribute in
      attribute.can.contains { can in
        switch verb {
        case "read": can == "read"
        case "write": can.hasPrefix("write")
        case "subscribe", "unsubscribe", "notify": can == "notify" || can == "indicate"
        default: true
        }
      }
    }.map(\.name)
    let more = verb == "read" ? ["rssi"] : []
    if begun.utf8.count < 2 || all.contains(where: { $0.name.hasPrefix(begun) }) { return fitting + more }
    return AssignedNumbers.allNames(.characteristic) + more
  }

  private var knownAttributes: [(attribute: Machine.PromptService.Attribute, service: String)] {
    machine.promptServices.flatMap { service in service.attributes.map { ($0, service.name) } }.filter { $0.0.name != "-" }
  }

  /// The devices of this session, those of the keeper, then those received at the prompt, then
  /// those that `tooth scan` found.
  private var offeredDevices: [OfferedDevice] {
    let received = machine.heardBetweenEntries
    var all = machine.knownDevices.map { known in
      let signal = received.first { $0.address == known.address }?.signal
      return OfferedDevice(address: known.address, name: known.name, signal: signal, isLinked: known.sign == .linked)
    }
    for link in seenLinks { all.append(OfferedDevice(address: link.address, name: link.name ?? "", isHeld: true)) }
    for one in received { all.append(OfferedDevice(address: one.address, name: one.name ?? "", signal: one.signal)) }
    for one in heardDevices { all.append(OfferedDevice(address: one.address, name: one.name)) }
    return all
  }

  /// The device names that a recipe can contain without escapes.
  private var deviceNames: [String] { offeredDevices.map(\.name).filter { RecipeLiteral.text($0) == "\"\($0)\"" } }

  /// A list of the completions with a note about each; `nil` if there are no notes.
  func described(_ words: [String]) -> String? {
    var notes: [String: String] = [:]
    func add(_ word: String, _ note: @autoclosure () -> String) { if notes[word] == nil { notes[word] = note() } }
    // The first entry of a device has the most information.
    for device in offeredDevices {
      add(device.address, note(of: device, shown: device.name == device.address ? "" : device.name))
      add("\(device.name)\"", note(of: device, shown: device.address))
    }
    for (attribute, service) in knownAttributes {
      let can = attribute.can.joined(separator: ", ")
      add(attribute.name, service == "-" ? can : Shown.padded(can, 20) + "  " + service)
    }
    let found = words.map { notes[$0.hasPrefix("\"") ? String($0.dropFirst()) : $0] ?? "" }
    guard found.contains(where: { !$0.isEmpty }) else { return nil }
    let width = words.map { Shown.width(of: $0) }.max() ?? 0
    let columns = max(8, terminalSize().columns - 1)
    return "\n"
      + zip(words, found).map { word, note in
        let line = ("  " + Shown.padded(word, width) + "  " + note).trimmedEnd
        return Shown.name(line, columns: columns, ascii: console.style.ascii) + "\n"
      }.joined()
  }

  private func note(of device: OfferedDevice, shown: String) -> String {
    let ascii = console.style.ascii
    let end =
      device.isLinked
      ? ascii ? "* connected" : "● connected"
      : device.isHeld ? "held by the keeper" : device.signal.map { "\($0) dBm" } ?? ""
    return (Shown.padded(Shown.name(shown, columns: 24, ascii: ascii), 24) + "  " + end).trimmedEnd
  }

  private var heardDevices: [(address: String, name: String)] { (try? shared?.existing()?.heardDevices()) ?? [] }
}

/// A device that Tab can complete.
private struct OfferedDevice {
  var address: String
  var name: String
  var signal: Int?
  var isLinked = false
  /// Whether the keeper is connected to it for another client.
  var isHeld = false
}
