import Exchange
import Vocabulary

/// `request phy "2M"`, `request speed "fast"`, `request interval 15ms`, `request mtu 247`
extension Checker {
  static let requestSettings = ["phy", "speed", "interval", "mtu"]

  mutating func request(_ setting: NameSyntax, _ value: Expression, _ statement: Statement, _ place: Place) {
    let settings = Self.requestSettings
    let isWord = ["phy", "speed"].contains(setting.text)
    if case .name(let name) = value.kind, isWord, ["fast", "balanced", "slow", "coded"].contains(name), scope.find(name) == nil {
      report(
        Diagnostic(
          "T228", "`\(name)` must be in quotes here", at: value.range, "write it in quotes",
          fixes: [.replace(value.range, with: "\"\(name)\"")]))
      return
    }
    expression(value, place)
    switch setting.text {
    case "phy": phy(value)
    case "speed": words(value, ["fast", "balanced", "slow"], "a speed")
    case "interval":
      span(value, "request interval", place)
      guard case .span(let span)? = constant(value, place), span >= 0, !(7_500_000...4_000_000_000).contains(span) else { return }
      report(Diagnostic("T228", "a connection interval must be 7.5ms to 4s", at: value.range))
    case "mtu":
      guard followsConnect else {
        report(
          Diagnostic(
            "T266", "`request mtu` belongs directly after `connect`", at: statement.header,
            "the MTU is exchanged once, when the link is made"))
        return
      }
      switch constant(value, place) {
      case .number(let number)? where !(23...517).contains(number):
        report(Diagnostic("T228", "an MTU must be 23 to 517", at: value.range))
      case .span?: report(Diagnostic("T228", "an MTU must be a number", at: value.range, "from 23 to 517"))
      default:
        if case .string = value.kind { report(Diagnostic("T228", "an MTU must be a number", at: value.range, "from 23 to 517")) }
      }
    default:
      let near = nearest(to: setting, among: settings)
      report(
        Diagnostic(
          "T212", "there is no `\(setting.text)` to request", at: setting.range,
          near.map { "did you mean `\($0)`?" } ?? "", fixes: near.map { [.replace(setting.range, with: $0)] } ?? [],
          notes: ["you can request \(settings.joined(separator: ", "))"]))
    }
  }

  mutating func phy(_ value: Expression) { words(value, ["1M", "2M", "coded"], "a PHY") }

  /// Checks that a constant value is one of these words.
  private mutating func words(_ value: Expression, _ words: [String], _ what: String) {
    let shown = words.map { "`\"\($0)\"`" }.list(by: " or ")
    switch value.kind {
    case .string(let text):
      guard let plain = text.plain, !words.contains(plain) else { return }
      let near =
        words.first { $0.lowercased() == plain.lowercased() }
        ?? (plain.utf8.count > 3 ? nearest(to: plain, at: value.range, among: words) : nil)
      report(
        Diagnostic(
          "T228", "\(what) must be \(shown)", at: value.range, near.map { "did you mean `\"\($0)\"`?" } ?? "",
          fixes: near.map { [.replace(value.range, with: "\"\($0)\"")] } ?? []))
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .list, .record:
      report(Diagnostic("T228", "\(what) must be \(shown)", at: value.range))
    default: return
    }
  }
}
