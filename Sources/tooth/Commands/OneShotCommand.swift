import Exchange
import Journal
import KeeperProcess
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// `tooth do`, `read`, `write`, `watch`, `info`, `clone`, `pair` and `forget`. Each runs a small
/// recipe without a checkpoint.
enum OneShotCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let limit = try arguments.value("clock") == "virtual" ? nil : arguments.duration("time-limit")
    let end = limit.map { SystemClock.now().moment + $0 }
    let text = try recipe(arguments, command)
    if arguments.has("show-recipe") {
      Console(style: arguments.style()).print(text)
      return 0
    }
    if let limit { Signals.limit(to: limit) }
    let session = try CommandSession(arguments)
    if command.name == "forget", arguments.has("all") {
      guard BondsCommand.report(unreadable: try BondsCommand.folders(arguments), session.console) else {
        return Failure.Kind.file.exitCode
      }
    }
    let loaded = RecipeLoader.parse(name: "tooth \(command.name)", Array(text.utf8))
    // With --text, letters are intended.
    let findings = arguments.value("text") == nil ? loaded.findings : loaded.findings.filter { $0.code != "T251" }
    let advice = command.name == "do" ? nil : OneShotAdvice(command: command.name, words: arguments.words)
    session.console.findings(findings.map { advice?.finding($0, in: text) ?? OneShotAdvice.spoken($0) }, in: loaded.sources)
    guard !loaded.hasErrors else { return 3 }
    if loaded.recipe?.body.isEmpty ?? true, loaded.recipe?.inputs.isEmpty ?? true {
      guard command.name == "forget" else { throw needsStatements }
      session.console.note("no device is paired")
      return 0
    }
    if let input = loaded.recipe?.inputs.first {
      throw UsageError(
        "tooth \(command.name) cannot be given inputs, such as \(input.name.text)",
        hint: "write the value itself, or use tooth run -e 'input …'")
    }
    let directory = workingDirectory()
    var options = RunOptions(directory: directory)
    options.isStrict = arguments.has("strict")
    if let advice { options.hint = { advice.hint($0) } }
    options.rebonds = arguments.has("rebond")
    options.smallestKey = try RunCommand.smallestKey(arguments)
    options.codes = try RunCommand.codes(arguments)
    options.escapesFormulas = arguments.has("csv-escape")
    options.printsRecipe = command.name == "clone"
    options.commands = RunCommand.mayRun(arguments, isForeign: true) ? .started : .refused
    options.writableFolders = try RunCommand.folders(arguments, isForeign: true, directory)
    // The recipe is not a file, and keeps no checkpoint.
    var plan = RunPlan(loaded: loaded, path: "-", identity: nil, inputs: RunInputs(), options: options, state: nil)
    plan.dump = session.dump
    return try session.console.exitCode {
      let plot = arguments.has("plot") ? ValuePlot(field: arguments.value("field"), ascii: session.console.style.ascii) : nil
      let forgets = command.name == "forget"
      let pairsWithCode = command.name == "pair" && ["passkey", "confirm", "oob"].contains { arguments.has($0) }
      let folders = try forgets ? BondsCommand.folders(arguments) : []
      let before = BondsCommand.files(in: folders)
      let target = try forgets ? target(arguments) : nil
      // Known at the end, also of a device that was found by its name.
      var paired: AddressValue?
      let bonds = try pairsWithCode ? BondsCommand.bonds(arguments).bonds : []
      let isTree = command.name == "info" && isTerminal(1) && !arguments.isPlain && session.console.style.format == .text
      let code = try RunCommand.perform(plan, session, until: end, isOneShot: true) { run, _ in
        if let plot { run.draw(plot, inWords: arguments.isPlain) }
        run.onPrint = { if let address = bondedDevice($0) { paired = address } }
        if isTree { run.draw(AttributeTree(ascii: session.console.style.ascii)) }
      }
      if forgets { return forgotten(target, from: before, to: BondsCommand.files(in: folders), arguments, session, code) }
      if code == 0, let paired, bonds.contains(where: { AddressValue($0.identity).isSame(as: paired) }),
        try BondsCommand.bonds(arguments).bonds == bonds
      {
        session.console.note(
          "note: the device was already paired: its bond was used, and not the code; `tooth forget` it first to pair again")
      }
      if code == 8, command.name != "do", arguments.value("within") == nil, arguments.value("time-limit") == nil {
        session.console.note("--within 1min gives each step more time")
      }
      return code
    }
  }

  /// The device of a record that says that it is bonded.
  private static func bondedDevice(_ line: PrintedLine) -> AddressValue? {
    guard case .record(let record)? = line.values.first, record["bonded"] == .bool(true),
      case .address(let address)? = record["address"]
    else { return nil }
    return address
  }

  /// The address of the device of `forget`, if it is known before a scan.
  private static func target(_ arguments: Arguments) throws(UsageError) -> AddressValue? {
    guard let word = arguments.words.first else { return nil }
    switch try held(OneShotDevice(word, aliases: AliasBook(arguments, among: [word]).all), arguments) {
    case .address(let address), .held(let address, _): return address
    case .alias(_, let address, _): return address
    case .name: return nil
    }
  }

  /// Prints which bonds are gone, and reports those that remain: a bond belongs to one adapter.
  /// - Parameters:
  ///   - named: the device; `nil` with --all, or if it was found by its name.
  ///   - before: the bonds before, including unreadable ones.
  ///   - code: how the run ended.
  private static func forgotten(
    _ named: AddressValue?, from before: [BondsCommand.BondFile], to after: [BondsCommand.BondFile], _ arguments: Arguments,
    _ session: CommandSession, _ code: Int32
  ) -> Int32 {
    let console = session.console
    guard arguments.has("all") || named != nil else {
      if code == 0, after == before, !before.isEmpty {
        console.note("no bond was removed; `tooth bonds` lists them by address and adapter")
      }
      return code
    }
    let removed = before.filter { !after.contains($0) }
    let left = after.filter { bond in named.map { AddressValue(bond.identity).isSame(as: $0) } ?? true }
    var printed = removed.map { AddressValue($0.identity) }
    // A device without a bond is as forgotten as one whose bond is gone.
    if let named, printed.isEmpty, left.isEmpty, code == 0 {
      printed = [named]
      console.note("note: there was no bond with \(named.withKind); `tooth bonds` lists them")
    }
    var printer = PrintFormatter(format: console.style.format, zone: session.zone)
    for address in printed {
      let record = Value.record(["address": .address(address), "bonded": .bool(false)])
      let line = PrintedLine(values: [record], line: 1)
      console.print(printer.text(line, Surroundings(zone: session.zone), at: SystemClock.now().wall).text)
    }
    // Several adapters may have a bond with the same device.
    let isOfSeveral = Set((removed + left).map(\.own)).count > 1
    if isOfSeveral {
      for bond in removed { console.note("note: removed the bond of the adapter \(bond.own) with \(bond.identity.withKind)") }
    }
    guard code == 0 else { return code }
    let isFailure = removed.isEmpty && !left.isEmpty
    for bond in left {
      let text = "the bond with \(bond.identity.withKind) belongs to the adapter \(bond.own), and is still there"
      guard isFailure else {
        console.note("note: \(text)")
        continue
      }
      let other =
        bond.own.isStaticRandom
        ? "if no adapter has that address, --identity stored uses it" : "give that adapter with --adapter"
      console.complain(text, hint: "\(other); `tooth bonds` lists the adapter of each bond")
    }
    return isFailure ? Failure.Kind.adapter.exitCode : 0
  }

  private static var needsStatements: UsageError {
    UsageError("tooth do needs statements", hint: "tooth do scan for heart_rate then connect then read battery_level")
  }

  /// The recipe of this command line.
  private static func recipe(_ arguments: Arguments, _ command: Command) throws(UsageError) -> String {
    (arguments.has("coded") ? "use scan coded\n" : "") + (try statements(arguments, command))
  }

  private static func statements(_ arguments: Arguments, _ command: Command) throws(UsageError) -> String {
    let words = arguments.words
    let usage = HelpText.usage(command)
    if arguments.has("field"), !arguments.has("plot") { throw UsageError("--field is for --plot", hint: "add --plot") }
    if command.name == "do" {
      guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) && $0 != "then" }) else { throw needsStatements }
      return SpokenRecipe.text(of: words, aliases: AliasBook(arguments, among: SpokenRecipe.words(of: words)).all)
    }
    if command.name == "forget", arguments.has("all") {
      guard words.isEmpty else { throw UsageError("tooth forget takes a device or --all", hint: usage) }
      var addresses: [AddressValue] = []
      for file in BondsCommand.files(in: try BondsCommand.folders(arguments)) {
        let address = AddressValue(file.identity)
        if !addresses.contains(address) { addresses.append(address) }
      }
      return OneShotRecipe.forget(addresses)
    }
    guard let first = words.first, !first.isEmpty else {
      throw UsageError("tooth \(command.name) needs a device: an address, an alias or a name", hint: usage)
    }
    let device = try held(OneShotDevice(first, aliases: AliasBook(arguments, among: [first]).all), arguments)
    let limit = arguments.value("within")
    if command.name == "clone" {
      guard words.count == 1 else { throw UsageError("tooth clone copies one device", hint: usage) }
      return OneShotRecipe.clone(device, within: limit)
    }
    if command.name == "info" {
      guard words.count == 1 else { throw UsageError("tooth info shows one device", hint: usage) }
      return OneShotRecipe.info(device, reads: arguments.has("read"), within: limit)
    }
    if command.name == "pair" || command.name == "forget" {
      guard words.count == 1 else { throw UsageError("tooth \(command.name) takes one device", hint: usage) }
      guard !device.isPattern else {
        throw UsageError(
          "tooth \(command.name) needs one device, but \(first) may match several",
          hint: "give its whole name or its address; tooth scan lists both")
      }
      return command.name == "pair"
        ? OneShotRecipe.pair(
          device, asks: asks(arguments), waitsForOffer: isTerminal(0) && arguments.value("give-oob") != nil, within: limit)
        : OneShotRecipe.forget(device, within: limit)
    }
    if command.name == "write" { return try write(device, arguments, words, usage) }
    let attributes = Array(words.dropFirst())
    guard !attributes.isEmpty else {
      throw UsageError(
        "tooth \(command.name) needs an attribute, for example battery_level",
        hint: "tooth info \(ShellText.word(first)) lists those of the device"
      )
    }
    for attribute in attributes { try check(attribute) }
    if arguments.has("plot"), attributes.count > 1, let last = attributes.last,
      let whose = attributes.first(where: { FormatCatalog.fields(ofAttribute: $0).contains(last) })
    {
      throw UsageError("\(last) is a field of \(whose)", hint: "--plot --field \(last)")
    }
    if command.name == "read" { return OneShotRecipe.read(device, attributes, raw: arguments.has("bytes"), within: limit) }
    let count = try arguments.number("count")
    guard count != 0 else { throw UsageError("--count takes a number of at least 1, not 0") }
    if let field = arguments.value("field") { try checkField(field, of: attributes) }
    return OneShotRecipe.watch(
      device, attributes, count: count, times: arguments.has("times"), inColumns: arguments.value("output") == "csv", within: limit)
  }

  /// Checks a field of built-in formats. An attribute without one may have any field.
  private static func checkField(_ field: String, of attributes: [String]) throws(UsageError) {
    let known = attributes.map { FormatCatalog.fields(ofAttribute: $0) }
    guard known.allSatisfy({ !$0.isEmpty }), !known.contains(where: { $0.contains(field) }) else { return }
    let all = known.flatMap(\.self)
    let near = Spelling.nearest(to: field, among: all).map { " — did you mean \($0)?" } ?? ""
    throw UsageError("\(attributes.list(by: " and ")) has no field \(field)\(near)", hint: "its fields are \(all.list(by: ", "))")
  }

  /// Whether to ask a person, because stdin is a terminal and no option answers.
  private static func asks(_ arguments: Arguments) -> Bool {
    isTerminal(0) && arguments.value("passkey") == nil && arguments.value("confirm") == nil
  }

  private static func write(_ device: OneShotDevice, _ arguments: Arguments, _ words: [String], _ usage: String)
    throws(UsageError) -> String
  {
    guard !device.isPattern else {
      throw UsageError(
        "tooth write needs one device, but \(words[0]) may match several",
        hint: "give its whole name or its address; tooth scan lists both")
    }
    guard words.count > 1 else { throw UsageError("tooth write needs an attribute, for example alert_level", hint: usage) }
    try check(words[1])
    let forms = ["hex", "file", "text"].filter { arguments.value($0) != nil }
    guard forms.count + words.count == 3 else {
      if words.count == 2, forms.isEmpty {
        throw UsageError("tooth write needs a value", hint: "an expression such as 'u8(1)', or --hex, --text or --file")
      }
      if let form = forms.first {
        let other = forms.count > 1 ? "--\(forms[1])" : Array(words.dropFirst(2)).list(by: " ")
        throw UsageError("tooth write writes one value, but there are \(other) and --\(form)", hint: "leave one out")
      }
      throw UsageError(
        "tooth write writes one value",
        hint: "put an expression with spaces in quotes: 'u8(1) + u16(600)'; an attribute too: 'handle 0x0016'")
    }
    let value: String
    switch forms.first {
    case "hex":
      let digits = arguments.value("hex") ?? ""
      guard let bytes = Hex.bytes(digits) else { throw UsageError("--hex takes hex digits like \"01 ff\", not \(digits)") }
      value = "hex \"\(Hex.text(bytes))\""
    case "file": value = "file(\(RecipeLiteral.text(arguments.value("file") ?? "")))"
    case "text": value = RecipeLiteral.text(arguments.value("text") ?? "") + ".bytes()"
    default:
      let known = FormatCatalog.words(ofAttribute: words[1])
      value = known.contains(words[2]) ? RecipeLiteral.text(words[2]) : words[2]
      if !known.isEmpty, Words.isName(value) {
        throw UsageError("\(words[1]) has no word \(value)", hint: "its values are \(known.joined(separator: ", "))")
      }
      if Words.isName(value) || value == "it", value.utf8.allSatisfy({ OneShotPiece.isWord($0) }) {
        throw UsageError(
          "\(value) is not a value: a text has quotes", hint: "--text \(value) instead of \(value), or '\"\(value)\"'")
      }
      guard OneShotPiece.isExpression(value) else {
        throw UsageError(
          "\(Shown.text(value)) is not a value",
          hint: "a value is written as in a recipe, u8(1) or hex \"01 ff\"; for text there is --text, for bytes --hex")
      }
    }
    return OneShotRecipe.write(
      device, words[1], value: value, withoutResponse: arguments.has("without-response"),
      whenUnsure: arguments.value("when-unsure"), within: arguments.value("within"))
  }

  /// Uses a keeper's link to the device, if there is one, so that no scan is needed.
  private static func held(_ device: OneShotDevice, _ arguments: Arguments) throws(UsageError) -> OneShotDevice {
    // A connected device may not advertise, which would tell the type of its address.
    if case .address(let given) = device.withoutAlias, given.kind == nil {
      return HeldLinks(arguments)?.link(to: given).map { .address(AddressValue($0)) } ?? device
    }
    guard let name = device.soughtName, let links = HeldLinks(arguments) else { return device }
    let fitting = links.named(name)
    guard fitting.count < 2 || device.isPattern else {
      let list = fitting.map { "\($0.address)" }.joined(separator: " or ")
      throw UsageError("\(fitting.count) connected devices have the name \(name)", hint: "give the address: \(list)", exitCode: 1)
    }
    // If several match a pattern, scan for the strongest.
    guard fitting.count == 1 else { return device }
    let address = AddressValue(fitting[0].address)
    return device.isPattern ? .address(address) : .held(address, name: name)
  }

  private static func check(_ attribute: String) throws(UsageError) {
    guard !OneShotPiece.isAttribute(attribute) else { return }
    let meant = OneShotPiece.attributeMeant(by: attribute)
    if let point = attribute.lastIndex(of: "."), OneShotPiece.isAttribute(String(attribute[..<point])) {
      let field = attribute[attribute.index(after: point)...]
      throw UsageError(
        "\(attribute) is not an attribute: \(field) is part of its value",
        hint: "--output json gives every part; watch --plot --field \(field) draws this one")
    }
    throw UsageError(
      "\(attribute) is not an attribute" + (meant.map { " — did you mean \($0)?" } ?? ""),
      hint: meant != nil
        ? nil
        : "an attribute is a name like battery_level, a UUID, SERVICE/NAME, NAME[1] or 'handle 0x0016'")
  }
}
