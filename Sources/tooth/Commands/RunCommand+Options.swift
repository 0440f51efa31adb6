import Exchange
import Linux
import Runner
import Session
import Vocabulary

/// Options of commands that run a recipe.
extension RunCommand {
  /// Options of `run` and `repl`.
  /// - Parameter isForeign: whether the recipe is not a file on disk.
  static func options(_ arguments: Arguments, isForeign: Bool, isVirtual: Bool) throws(UsageError) -> RunOptions {
    var run = RunOptions(directory: workingDirectory())
    run.isStrict = arguments.has("strict")
    run.rebonds = arguments.has("rebond")
    run.smallestKey = try smallestKey(arguments)
    run.codes = try codes(arguments)
    run.escapesFormulas = arguments.has("csv-escape")
    // In virtual time, a sync interval has no meaning.
    if isVirtual { run.syncWithin = .days(10_000) }
    if let span = try arguments.duration("checkpoint-sync") { run.syncWithin = span }
    run.commands = mayRun(arguments, isForeign: isForeign) ? .started : .refused
    run.writableFolders = try folders(arguments, isForeign: isForeign, run.directory)
    return run
  }

  static func secrets(_ arguments: Arguments) throws(UsageError) -> [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    for text in arguments.all("secret") {
      guard case (let name, let value?) = Arguments.halves(text), !name.isEmpty else {
        throw UsageError("--secret takes NAME=VALUE")
      }
      guard value != "…" else {
        throw UsageError(
          "--secret \(name)=… needs the value in place of …",
          hint: "or set \(InputReader.variable(name)), which other users cannot see")
      }
      list.append((name, value))
    }
    return list
  }

  /// `--passkey`, `--confirm`, `--oob` and `--give-oob`.
  static func codes(_ arguments: Arguments) throws(UsageError) -> PairingCodes {
    var codes = PairingCodes()
    if let given = arguments.value("passkey") {
      var text = given
      if given.hasPrefix("@") {
        let path = String(given.dropFirst())
        do {
          let bytes = try readFile(path, limit: 4096)
          text = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        } catch {
          throw UsageError("--passkey: \(Shown.text(path)) cannot be read: \(error)")
        }
      }
      guard let code = code(text) else {
        // Do not print the contents of the file, which may be secret.
        throw UsageError(
          given.hasPrefix("@") ? "--passkey: the first line of the file is not a passkey" : "\(Shown.text(given)) is not a passkey",
          hint: "a passkey has six digits, for example --passkey 042137")
      }
      codes.passkey = code
    }
    if let given = arguments.value("confirm") {
      if given == "yes" {
        codes.consent = .always
      } else if let code = code(given) {
        codes.consent = .code(code)
      } else {
        throw UsageError("--confirm takes yes or the six digits that the device must show, not \(Shown.text(given))")
      }
    }
    if let given = arguments.value("oob") { codes.outOfBand = try outOfBand(given) }
    if let given = arguments.value("give-oob") {
      do {
        // Data from an earlier run is invalid, so empty the file.
        try saveFile(given, [], mode: 0o600)
      } catch {
        throw UsageError("--give-oob: \(Shown.text(given)) cannot be written: \(error)")
      }
      codes.offerFile = absolute(given, in: workingDirectory())
    }
    return codes
  }

  /// The out-of-band data of a tag: a binary or hex file, or hex digits.
  private static func outOfBand(_ given: String) throws(UsageError) -> OutOfBandData {
    var bytes: [UInt8]
    do {
      // Only ordinary files, because others might block.
      bytes = try OrdinaryFile(reading: given, limit: 16384).bytes
      // A file written by a person has hex digits; one read from a tag is binary.
      if let text = String(validating: bytes, as: UTF8.self), let digits = Hex.bytes(text) { bytes = digits }
    } catch {
      guard !given.isEmpty, let digits = Hex.bytes(given) else {
        throw UsageError(
          "--oob: \(Shown.text(given)) cannot be read: \(error)",
          hint: "it is a file of at most 16 KiB, or hexadecimal digits: the data of a tag, for example 11 10 and 16 octets more")
      }
      bytes = digits
    }
    do throws(OutOfBandData.Fault) { return try OutOfBandData(structures: bytes) } catch {
      // Do not print the data, which is secret.
      throw UsageError(
        "--oob: the out-of-band data cannot be used: \(error.description)",
        hint: "pairing takes a confirmation (0x22) and a random value (0x23), or for older devices a TK (0x10)")
    }
  }

  /// `--min-key-size`.
  static func smallestKey(_ arguments: Arguments) throws(UsageError) -> UInt8 {
    guard let given = arguments.value("min-key-size") else { return 16 }
    guard let octets = UInt8(given), 7...16 ~= octets else {
      throw UsageError("--min-key-size takes 7 to 16 bytes, not \(Shown.text(given))")
    }
    return octets
  }

  private static func code(_ text: String) -> UInt32? {
    text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
  }

  /// Recipes on disk may run programs unless `--allow` forbids it; others only if it permits it.
  static func mayRun(_ arguments: Arguments, isForeign: Bool) -> Bool {
    let allowed = arguments.all("allow").flatMap { $0.split(separator: ",") }
    return allowed.contains("run") || !isForeign && !allowed.contains("none")
  }

  /// Recipes on disk are trusted like scripts. Others may write only below the working directory,
  /// unless `--allow` permits more.
  static func folders(_ arguments: Arguments, isForeign: Bool, _ directory: String) throws(UsageError) -> [String]? {
    var folders: [String] = []
    var isNone = false
    for text in arguments.all("allow") {
      for part in text.split(separator: ",") {
        if part == "none" {
          isNone = true
        } else if part.hasPrefix("write-files=") {
          let folder = String(part.dropFirst("write-files=".count))
          folders.append(realPath(folder) ?? absolute(folder, in: directory))
        } else if part != "run" {
          throw UsageError("\(arguments.label("allow")) takes write-files=DIR, run or none, not \(part)")
        }
      }
    }
    if isNone { return folders }
    return isForeign ? folders + [realPath(directory) ?? directory] : nil
  }
}
