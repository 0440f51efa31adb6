import Exchange
import Recipe
import Vocabulary

/// Turns the advice of failures into command-line advice for one-shot commands, because the
/// language's hints are about recipes.
struct OneShotAdvice: Sendable {
  let command: String
  /// The device and the words after it.
  let words: [String]

  private var device: String { words.first.map { ShellText.word($0) } ?? "DEVICE" }

  /// The hint of a failure; `nil` if there is none for a command line.
  func hint(_ failure: Failure) -> String? {
    let hints = [typedHint(failure), listing(failure)].compactMap(\.self)
    return hints.isEmpty ? nil : hints.joined(separator: hints[0].hasSuffix("?") ? " " : "; ")
  }

  /// How to see the attributes, if the device does not have one, or refuses it.
  private func listing(_ failure: Failure) -> String? {
    guard failure.kind == .missing || failure.kind == .refused && failure.layer == .att,
      ["read", "write", "watch"].contains(command),
      // Otherwise it could not be typed as it is shown.
      let device = words.first, Shown.text(device) == device
    else { return nil }
    return "tooth info \(ShellText.word(device)) lists its attributes, and what each can do"
  }

  private func typedHint(_ failure: Failure) -> String? {
    guard let hint = failure.hint, Self.isOfRecipes(hint) else { return failure.hint }
    switch failure.kind {
    case .needsPairing:
      return
        "run `tooth pair \(device)` first; add --passkey if the device has a passkey, --confirm if it shows digits to compare; "
        + "if there is already a bond without them, run `tooth forget \(device)` before it"
    case .unsure: return "--when-unsure repeat, verify or skip chooses what happens then"
    case .unreachable, .disconnected:
      let policy = Self.quoted(hint).first.flatMap { $0.hasPrefix("when unsure ") ? $0.dropFirst(12) : nil }
      if let policy { return "--when-unsure \(policy) makes it safe to run the command again" }
      return "run the command again"
    case .missing:
      guard let handle = Self.quoted(hint).first, handle.hasPrefix("handle (") else { return Self.typed(hint) }
      let instead = words.count == 2 || command == "write" ? " instead of \(words[1])" : ""
      return "to ask the device all the same, use 'handle \(handle.dropFirst(8).dropLast())'\(instead)"
    case .refused where failure.layer == .smp && failure.code == 3:
      if hint.hasPrefix("to pair without authentication") {
        return "--confirm yes without --passkey pairs without authentication; --oob gives data of its tag"
      }
      return Self.typed(hint) ?? "--passkey gives the digits that it shows or has on its label, --confirm yes confirms equal digits"
    // Their value is an expression of the language, so the hint applies.
    case .value, .decode, .file: return hint
    default: return Self.typed(hint)
    }
  }

  /// The hint with options instead of statements; `nil` if it is still about recipes.
  private static func typed(_ hint: String) -> String? {
    let typed = hint.replacing(every: "`answer true` in `on passkey confirm`, or --confirm yes", with: "--confirm yes")
      .replacing(every: "`pair` again", with: "run the command again")
      .replacing(every: "(`use scan full`)", with: "(leave out --coded)")
      .replacing(every: "`without response`", with: "--without-response")
    return isOfRecipes(typed) ? nil : typed
  }

  /// A finding about the command's recipe, with command lines as fixes.
  func finding(_ finding: Diagnostic, in recipe: String) -> Diagnostic {
    var result = finding
    result.fixes = finding.fixes.compactMap { mended($0, Array(recipe.utf8)).map { Fix(lead: $0, edits: []) } }
    func declares(_ text: String) -> Bool {
      text.hasSuffix(" a format") || Self.quoted(text).contains { $0.hasPrefix("let ") || $0.hasPrefix("format ") }
    }
    result.notes.removeAll(where: declares)
    if declares(finding.label) { result.label = "" }
    return result
  }

  /// A finding of `tooth do`, whose quotes the shell removes.
  static func spoken(_ finding: Diagnostic) -> Diagnostic {
    var result = finding
    result.fixes = finding.fixes.map { fix in
      guard let quoted = fix.edits.map(\.replacement).first(where: { $0.contains("\"") }) else { return fix }
      return Fix(lead: "the shell removes quotes, so write \(ShellText.word(quoted))", edits: [])
    }
    return result
  }

  /// The command line with the word that a fix changes.
  private func mended(_ fix: Fix, _ recipe: [UInt8]) -> String? {
    guard let start = fix.edits.map(\.range.start).min(), let end = fix.edits.map(\.range.end).max() else { return nil }
    for (index, word) in words.enumerated().dropFirst() {
      let count = word.utf8.count
      let first = max(0, Int(end) - count)
      guard first <= Int(start),
        let place = (first...Int(start)).first(where: { recipe.dropFirst($0).prefix(count).elementsEqual(word.utf8) })
      else { continue }
      var bytes = recipe[place..<(place + count)]
      for edit in fix.edits.sorted(by: { $0.range.start > $1.range.start }) {
        bytes.replaceSubrange(Int(edit.range.start)..<Int(edit.range.end), with: edit.replacement.utf8)
      }
      var all = words
      all[index] = String(decoding: bytes, as: UTF8.self)
      return (["tooth", command] + all.map { ShellText.word($0) }).joined(separator: " ")
    }
    return nil
  }

  /// Whether backticks in a hint contain recipe text, and not a command or an option.
  private static func isOfRecipes(_ hint: String) -> Bool {
    quoted(hint).contains { !$0.hasPrefix("tooth ") && !$0.hasPrefix("--") }
  }

  private static func quoted(_ text: String) -> [Substring] {
    let parts = text.split(separator: "`" as Character, omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
  }
}
