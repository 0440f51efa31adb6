import Linux

/// The parts of systemd that `tooth service` uses: a folder of units, and `systemctl`.
struct Systemd {
  /// Whether it is the system manager and not the user's.
  let isSystem: Bool

  struct Service: Equatable {
    var name: String
    var unit: String
    var command: String
  }

  /// The command to print in messages.
  var line: String { isSystem ? "systemctl" : "systemctl --user" }

  /// The folder of the administrator's or the user's units.
  func folder() throws(ServiceFailure) -> String {
    if isSystem { return "/etc/systemd/system" }
    if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") { return "\(base)/systemd/user" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.config/systemd/user" }
    throw ServiceFailure("there is no folder for units: HOME is not set")
  }

  /// Whether the machine's keeper units are installed.
  static var hasKeeperUnits: Bool {
    ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].contains { realPath("\($0)/systemd/system/tooth-keeper@.socket") != nil }
  }

  static func isOurs(_ file: String) -> Bool {
    guard let bytes = try? readFile(file, limit: 1 << 16) else { return false }
    return bytes.starts(with: ServiceUnit.mark.utf8)
  }

  func services() throws(ServiceFailure) -> [Service] {
    let folder = try folder()
    return Files.names(in: folder).sorted().compactMap { unit in
      guard unit.hasPrefix("tooth-"), unit.hasSuffix(".service"), Self.isOurs("\(folder)/\(unit)"),
        let bytes = try? readFile("\(folder)/\(unit)", limit: 1 << 16)
      else { return nil }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      let command = lines.first { $0.hasPrefix("ExecStart=") }.map { String($0.dropFirst(10)) } ?? ""
      return Service(name: String(unit.dropFirst(6).dropLast(8)), unit: unit, command: command)
    }
  }

  /// The state, such as `active`, and the status text of the run.
  func facts(of unit: String) -> (state: String, doing: String) {
    guard
      let outcome = try? ChildProcess.run(command(["show", "--property=ActiveState", "--property=StatusText", unit])),
      outcome.code == 0
    else { return ("unknown", "") }
    var (state, doing) = ("unknown", "")
    for line in outcome.text.split(separator: "\n") {
      if line.hasPrefix("ActiveState=") { state = String(line.dropFirst(12)) }
      if line.hasPrefix("StatusText=") { doing = String(line.dropFirst(11)) }
    }
    return (state, doing)
  }

  private func command(_ words: [String]) -> [String] {
    ["systemctl"] + (isSystem ? [] : ["--user"]) + ["--no-ask-password", "--no-pager"] + words
  }

  /// Fails if systemd is not running.
  func checkAvailable() throws(ServiceFailure) { try systemctl(["show-environment"]) }

  func systemctl(_ words: [String]) throws(ServiceFailure) {
    let outcome: ChildProcess.Outcome
    do throws(SystemFailure) { outcome = try ChildProcess.run(command(words)) } catch {
      if error.isMissing {
        throw ServiceFailure(
          "there is no systemctl: this machine does not use systemd, or it is not on the PATH", hint: Self.otherWays)
      }
      throw ServiceFailure("\(error)", hint: Self.otherWays)
    }
    guard outcome.code != 0 else { return }
    let reason = outcome.text.split(separator: "\n").first.map(String.init) ?? "exit code \(outcome.code)"
    if outcome.text.holds("has not been booted with systemd") || outcome.text.holds("Failed to connect to") {
      throw ServiceFailure("systemd does not answer: \(reason)", hint: Self.otherWays)
    }
    throw ServiceFailure("\(line) \(words.joined(separator: " ")) failed: \(reason)")
  }

  private static let otherWays = """
    only write the unit: --no-start
    or let cron start the recipe: @reboot tooth run /path/to/recipe.ble --quiet
    """

  func write(_ text: String, to file: String) throws(ServiceFailure) {
    do throws(SystemFailure) {
      try Files.makeFolders(parent(of: file))
      try saveFile(file, Array(text.utf8))
    } catch { throw ServiceFailure("\(error)") }
  }

  func delete(_ file: String) throws(ServiceFailure) {
    do throws(SystemFailure) { try Files.remove(file) } catch { throw ServiceFailure("\(error)") }
  }
}
