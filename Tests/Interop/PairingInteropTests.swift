import Glibc
import Judgement
import Linux
import Testing
import Vocabulary

/// Pairing and bonds with Bumble, in both roles. Bumble cannot test key sizes (it never shortens a
/// key), timeouts, key refresh, or the code 000000 (it hangs).
extension InteropTests {
  @Suite struct PairingInteropTests {
    init() { Bumble.counted() }

    /// The capabilities of one end, by Bumble's names and ours.
    enum Capability: String, CaseIterable {
      case none, display, yesno, keyboard, both

      var handlers: String {
        // A code that has to be typed at the other end gets there through a file.
        let display = """
          on passkey display as code
            append "{code}" to "codes"
            print "shows {code}"
          end

          """
        let request = """
          on passkey request
            append "042137" to "codes"
            print "types"
            answer "042137"
          end

          """
        let confirm = """
          on passkey confirm as code
            if code is not nothing: print "compares {code}"
            answer true
          end

          """
        return switch self {
        case .none: ""
        case .display: display
        case .yesno: display + confirm
        case .keyboard: request
        case .both: request + confirm + display
        }
      }
    }

    enum Method: Equatable {
      case justWorks, comparison
      /// Which end shows the code, and which types it.
      case shownByInitiator, shownByResponder, typedByBoth
    }

    /// Vol 3, Part H, table 2.8.
    static func method(_ initiator: Capability, _ responder: Capability, isLegacy: Bool) -> Method {
      switch (initiator, responder) {
      case (.none, _), (_, .none): return .justWorks
      case (.display, .display), (.display, .yesno), (.yesno, .display): return .justWorks
      case (.yesno, .yesno): return isLegacy ? .justWorks : .comparison
      case (.yesno, .both), (.both, .both): return isLegacy ? .shownByInitiator : .comparison
      case (.both, .yesno): return isLegacy ? .shownByResponder : .comparison
      case (.keyboard, .keyboard): return .typedByBoth
      case (.keyboard, _): return .shownByResponder
      case (_, .keyboard): return .shownByInitiator
      case (.display, .both): return .shownByInitiator
      case (.both, .display): return .shownByResponder
      }
    }

    private static let kinds = ["sc", "legacy"]
    private static let pairings = Capability.allCases.flatMap { capability in kinds.map { (capability, $0) } }
    private static let names = pairings.map { "\($0.0.rawValue):\($0.1)" }.joined(separator: ",")

    /// The lines of each pairing that Bumble has started.
    private static func pieces(_ lines: [String]) -> [[String]] {
      lines.split { $0.hasPrefix("pairing ") && !$0.hasPrefix("pairing failed") }.dropFirst().map(Array.init)
    }

    private static func agrees(_ piece: [String], ours: [String], _ method: Method, isBumbleFirst: Bool) -> Bool {
      func words(_ start: String, in lines: [String]) -> String? {
        lines.first { $0.hasPrefix(start + " ") }.map { String($0.dropFirst(start.count + 1)) }
      }
      switch method {
      case .justWorks: return !piece.contains { $0.hasPrefix("shows") || $0.hasPrefix("types") || $0.hasPrefix("compares") }
      case .comparison:
        guard let number = words("compares", in: piece) else { return false }
        return ours.contains("compares \(number)")
      case .typedByBoth: return words("types", in: piece) == "042137" && ours.contains("types")
      case .shownByInitiator, .shownByResponder:
        let isShownByBumble = (method == .shownByInitiator) == isBumbleFirst
        if isShownByBumble { return words("shows", in: piece) == "042137" && ours.contains("types") }
        guard let typed = words("types", in: piece) else { return false }
        return ours.contains("shows \(typed)")
      }
    }

    /// Our run as the central: each of its capabilities with each of Bumble's, in Secure
    /// Connections and legacy pairing. Then the bond is used on a second link.
    @Test(arguments: Capability.allCases) func everyMethodAsCentral(_ ours: Capability) throws {
      let folder = try Folder()
      let lock = try BumblePairingPeripheral(["--pairings", Self.names, "--typed", "\(folder.path)/codes"])
      let run = try lock.run(
        ours.handlers + """
          scan for "Stranger" as lock
          repeat \(Self.pairings.count) times
            print "next"
            connect to lock
            try
              pair
              print "paired {lock.bonded}"
              disconnect
              connect to lock
              read 70010a01-6b1d-4f6e-9d3a-2a4c1f0e5b77 as value
              print "{value.text()} {lock.encrypted}"
              disconnect
              forget lock
            otherwise as problem
              print "failed {problem.kind}"
              disconnect
            end
          end

          """, in: folder)
      let code = run.end(within: .seconds(100))
      #expect(code == 0, "\(run.text)\(run.complaint)\(lock.process.text)\(lock.process.complaint)")
      let pieces = Self.pieces(lock.process.lines)
      let results = run.lines.split(separator: "next", omittingEmptySubsequences: false).dropFirst().map(Array.init)
      try #require(pieces.count == Self.pairings.count && results.count == pieces.count, "\(run.text)\(lock.process.text)")
      for (index, (theirs, kind)) in Self.pairings.enumerated() {
        let piece = pieces[index]
        let result = results[index]
        let method = Self.method(ours, theirs, isLegacy: kind == "legacy")
        let title = "\(ours) with \(theirs) \(kind): \(method)\n\(piece)\n\(result)"
        if ours == .keyboard, method == .justWorks {
          // An end that can only type does not pair with an end that has no code.
          #expect(result == ["failed refused"] && !piece.contains { $0.hasPrefix("paired") }, "\(title)")
          continue
        }
        #expect(Self.agrees(piece, ours: result, method, isBumbleFirst: false), "\(title)")
        let proof = method == .justWorks ? "unauthenticated" : "authenticated"
        #expect(piece.contains("paired \(kind) \(proof)"), "\(title)")
        #expect(piece.count { $0 == "encrypted 1" } == 2, "\(title)")
        #expect(result.suffix(2) == ["paired true", "secret light true"], "\(title)")
      }
    }

    private static let secret = "70010a01-6b1d-4f6e-9d3a-2a4c1f0e5b77"
    private static let light = "70010a02-6b1d-4f6e-9d3a-2a4c1f0e5b77"
    private static let reading = """
      scan for "Stranger" as lock
      connect to lock
      pair
      read \(secret) as value
      print "{value.text()} {lock.encrypted} {lock.bonded}"

      """

    /// Bumble has forgotten a bond: the failure is `stale_bond`, and `--rebond` makes a new bond.
    @Test(arguments: kinds) func aBondThatTheDeviceHasForgotten(_ kind: String) throws {
      let folder = try Folder()
      let lock = try BumblePairingPeripheral(["--pairings", "none:\(kind)"])
      let first = try lock.run(Self.reading, in: folder)
      #expect(first.end() == 0 && first.lines == ["secret light true true"], "\(first.complaint)")
      #expect(lock.sendSignal(SIGHUP, awaiting: "forgot"))
      let stale = try lock.run(Self.reading, in: folder, ["--direct", "--fresh"])
      #expect(stale.end() == 7 && stale.complaint.contains("forgotten"), "\(stale.text)\(stale.complaint)")
      #expect(lock.process.lines.count { $0.hasPrefix("paired") } == 1)
      let again = try lock.run(Self.reading, in: folder, ["--direct", "--fresh", "--rebond"])
      #expect(again.end() == 0 && again.lines == ["secret light true true"], "\(again.complaint)")
      #expect(lock.process.lines.count { $0.hasPrefix("paired") } == 2, "\(lock.process.text)")
    }

    /// A code that does not match, and a comparison that Bumble's user rejects.
    @Test(arguments: kinds) func aMismatchMakesNoBond(_ kind: String) throws {
      let folder = try Folder()
      let lock = try BumblePairingPeripheral(["--pairings", "display:\(kind)", "--code", "777777"])
      let wrong = try lock.run(Capability.keyboard.handlers + Self.reading, in: folder)
      #expect(wrong.end() == 7 && wrong.complaint.contains("the passkey was wrong"), "\(wrong.complaint)")
      #expect(lock.process.lines.contains("pairing failed 0x04"), "\(lock.process.text)")
      let panel = try BumblePairingPeripheral(["--pairings", "yesno:sc", "--refuses"])
      let denied = try panel.run(Capability.yesno.handlers + Self.reading, in: folder, name: "denied")
      // Bumble rejects a comparison with 0x04; the standard says 0x0C.
      #expect(denied.end() == 7, "\(denied.complaint)")
      #expect(panel.process.lines.contains("pairing failed 0x04"), "\(panel.process.text)")
      let list = try Child([Bumble.tooth, "bonds", "--state", "\(folder.path)/state"])
      #expect(list.end() == 0 && list.lines == [], "\(list.text)")
    }

    /// A Security Request of an unbonded device is refused; one of a bonded device starts
    /// encryption and never pairing.
    @Test func aSecurityRequestEncrypts() throws {
      let folder = try Folder()
      let lock = try BumblePairingPeripheral(["--asks"])
      let stranger = try lock.run("scan for \"Stranger\"\nconnect\nwait 8s\n", in: folder, name: "stranger")
      #expect(stranger.end() == 0, "\(stranger.complaint)")
      #expect(lock.process.lines.contains("pairing failed 0x05"), "\(lock.process.text)")
      let first = try lock.run(Self.reading, in: folder)
      #expect(first.end() == 0, "\(first.complaint)")
      let second = try lock.run(
        "scan for \"Stranger\" as lock\nconnect to lock\nwait 2s\nprint \"{lock.encrypted}\"\n", in: folder, name: "second")
      #expect(second.end() == 0 && second.lines == ["true"], "\(second.complaint)")
      #expect(lock.process.lines.count { $0.hasPrefix("paired") } == 1, "\(lock.process.text)")
    }

    /// The run is killed, and the device leaves, changes its private address and returns. Bumble's
    /// log shows that its first value arrives before any request, over an encrypted link.
    @Test(arguments: ["--direct", "--keeper"]) func afterAKillAValueArrivesWithoutAnyRequest(_ way: String) throws {
      let folder = try Folder()
      let lock = try BumblePairingPeripheral(["--private", "--announces", "--beats", "0"])
      let text = """
        use pairing automatic
        scan for "Stranger" as lock
        connect to lock
        subscribe to \(Self.light)
        print "subscribed"
        on notify \(Self.light) as value: print value.text()
        reconnect forever

        """
      let options = way == "--direct" ? [way] : [way, "--hold", "30s"]
      let first = try lock.run(text, in: folder, options)
      #expect(first.read { $0.lines.contains("subscribed") }, "\(first.text)\(first.complaint)\(lock.process.text)")
      first.kill9()
      #expect(lock.sendSignal(SIGUSR1, awaiting: "away"))
      let before = lock.log.count
      #expect(lock.sendSignal(SIGUSR2, awaiting: "back "))
      let second = try lock.run(text, in: folder, options)
      #expect(second.read { $0.lines.contains("light 1") }, "\(second.text)\(second.complaint)\(lock.process.text)")
      second.kill9()
      let records = lock.log.enumerated().dropFirst(before).compactMap { AirLine($0.element, number: $0.offset + 1) }
      let value = try #require(records.firstIndex { $0.kind == "acl" && $0.channel == 4 && $0.bytes.first == 0x1B })
      let link = records[value].link
      let earlier = records[..<value].filter { $0.link == link }
      #expect(earlier.contains { $0.kind == "encryption" })
      // Apart from the MTU exchange.
      let asked = earlier.filter { $0.kind == "acl" && $0.channel == 4 && $0.bytes.first != 2 && $0.bytes.first != 3 }
      #expect(asked.isEmpty, "\(asked.map(\.bytes))")
      #expect(!earlier.contains { $0.kind == "acl" && $0.channel == 6 })
      #expect(lock.process.lines.count { $0.hasPrefix("paired") } == 1, "\(lock.process.text)")
    }

    // MARK: Our peripheral, Bumble's host as the central

    private func serve(_ ours: Capability, _ air: AirForBumble, _ folder: Folder, name: String = "lock") throws -> Child {
      let handlers = ours.handlers.split(separator: "\n").map { "  \($0)\n" }.joined()
      let text = """
        peripheral lock named "Lock"
          advertise 0xFFF0 every 100ms with {name: "Lock"}
        \(handlers)
          service 0xFFF0
            characteristic 0xFFF1 can read needs encryption starts as "secret light"
            characteristic 0xFFF2 can read needs authentication starts as "secret door"
          end
        end

        """
      let path = "\(folder.path)/\(name).ble"
      try saveFile(path, Array(text.utf8))
      return try Child(
        [
          Bumble.tooth, "serve", path, "--adapter", "tcp:\(air.place)", "--direct", "--state", "\(folder.path)/state", "--capture",
          Traces.new("serve-\(ours)"),
        ], in: folder.path)
    }

    private func pairingCentral(_ air: AirForBumble, _ server: Child, _ options: [String], _ tasks: [String]) throws -> [String] {
      let child = try Child(
        [
          Bumble.python, "\(Bumble.root)/Tests/Interop/pairing_central.py", "tcp-client:\(air.place)", "--trace",
          Traces.new("guest"),
        ] + options + tasks)
      child.companion = server
      let code = child.end(within: .seconds(100))
      #expect(code == 0 && child.lines.contains("done"), "\(child.text)\(child.complaint)\(server.complaint)")
      return child.lines
    }

    @Test(arguments: Capability.allCases.dropFirst()) func everyMethodAsPeripheral(_ ours: Capability) throws {
      let air = try AirForBumble("bare")
      let folder = try Folder()
      let server = try serve(ours, air, folder)
      server.companion = air.air
      let lines = try pairingCentral(
        air, server, ["--pairings", Self.names, "--typed", "\(folder.path)/codes"], ["matrix=\(Self.pairings.count)"])
      let pieces = Self.pieces(lines)
      let shown = server.text + server.complaint
      try #require(pieces.count == Self.pairings.count, "\(lines)\(shown)")
      // Printed text has no number of its pairing, and codes vary.
      let printed = server.lines
      for (index, (theirs, kind)) in Self.pairings.enumerated() {
        let piece = pieces[index]
        let method = Self.method(theirs, ours, isLegacy: kind == "legacy")
        let title = "\(theirs) \(kind) with \(ours): \(method)\n\(piece)\n\(shown)"
        if ours == .keyboard, method == .justWorks {
          #expect(!piece.contains { $0.hasPrefix("paired") }, "\(title)")
          continue
        }
        #expect(Self.agrees(piece, ours: printed, method, isBumbleFirst: true), "\(title)")
        let proof = method == .justWorks ? "unauthenticated" : "authenticated"
        #expect(piece.contains("paired \(kind) \(proof)"), "\(title)")
        #expect(piece.count { $0 == "encrypted 1" } == 2 && piece.contains("read FFF1 secret light"), "\(title)")
      }
      server.kill9()
    }

    /// Refusals on an unencrypted link, what a bond without a code permits, the request of a bonded
    /// server, and a key that we have lost.
    @Test func aBondGrantsAndItsLossRevokesAccess() throws {
      let air = try AirForBumble("bare")
      let folder = try Folder()
      let server = try serve(.display, air, folder)
      let lines = try pairingCentral(
        air, server, ["--pairings", "none:sc"],
        [
          "reach", "read=FFF1", "pair", "read=FFF1", "read=FFF2", "close", "reach", "read=FFF1", "wait=2", "encrypt", "read=FFF1",
          "close",
        ])
      #expect(
        lines.filter { $0.hasPrefix("read") || $0.hasPrefix("asked") || $0.hasPrefix("paired") } == [
          "read FFF1 0x05", "paired sc unauthenticated", "read FFF1 secret light", "asked for security 0x0d", "read FFF2 0x05",
          "read FFF1 0x0f", "asked for security 0x09", "read FFF1 secret light",
        ], "\(lines)\(server.complaint)")
      server.kill9()
    }
  }
}

/// Bumble's pairing peripheral on Bumble's controllers.
struct BumblePairingPeripheral {
  let folder: Folder
  let process: Child
  let adapter: String

  init(_ options: [String] = []) throws {
    folder = try Folder()
    process = try Child(
      [Bumble.python, "\(Bumble.root)/Tests/Interop/bonded.py", "tcp", "--log", "\(folder.path)/air.log"] + options)
    guard let heard = process.line(beginning: "listening ") else {
      Issue.record("Bumble's peripheral does not come up: \(process.text)\(process.complaint)")
      throw CancellationError()
    }
    adapter = "tcp:127.0.0.1:\(heard)"
  }

  var log: [String] { (textOfFile("\(folder.path)/air.log") ?? "").split(separator: "\n").map(String.init) }

  /// A run of this text. The same name resumes what was killed.
  func run(_ text: String, in folder: Folder, _ options: [String] = ["--direct"], name: String = "pairing") throws -> Child {
    let path = "\(folder.path)/\(name).ble"
    try saveFile(path, Array(text.utf8))
    let child = try Child(
      [
        "XDG_STATE_HOME=\(folder.path)/home", Bumble.tooth, "run", path, "--adapter", adapter, "--state", "\(folder.path)/state",
      ] + (options.contains("--direct") ? ["--capture", Traces.new(name)] : []) + options, in: folder.path)
    child.companion = process
    return child
  }

  /// Sends a signal and waits for Bumble's reaction.
  func sendSignal(_ signal: Int32, awaiting words: String) -> Bool {
    let before = process.lines.count { $0.hasPrefix(words) }
    kill(process.pid, signal)
    return process.read(within: .seconds(20)) { $0.lines.count { $0.hasPrefix(words) } > before }
  }
}
