package import Vocabulary

/// The facts about a run in its database, besides the state of its machine.
package struct RunRecord: Equatable, Sendable {
  /// How a run ended, which determines what the next start does.
  package enum Ending: String, Sendable, CaseIterable {
    /// It is running, or its process was killed.
    case none
    case finished, stopped, failed, interrupted, terminated
  }

  package struct Input: Equatable, Sendable {
    package var name: String
    /// The value as typed; empty for a secret.
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The identity, `RunIdentity.canonical`.
  package var identity: String
  /// The owner of the `remember`ed values.
  package var owner: String
  /// The recipe's real path, or what replaces it (`-`).
  package var path: String
  /// The whole text that the state belongs to.
  package var text: [UInt8]
  package var inputs: [Input]
  /// The SHA-256 of each input that is a file, in hex.
  package var pins: [Input] = []
  /// The adapter that the command line named last; empty if it named none, or a simulated one.
  package var adapter = ""
  /// The working directory of the first start, to which file names are relative.
  package var directory: String
  package var started: WallTime
  /// The boot of the machine at the last commit.
  package var bootID: String
  /// Whether its times are of a simulated clock, which restarts with each process.
  package var isVirtual: Bool { bootID.hasPrefix(Self.virtualBoot) }
  /// The prefix of the boot id of a process with a virtual clock.
  package static let virtualBoot = "virtual "

  /// Whether the machine was rebooted since, as far as its clocks can tell.
  package func isOfEarlierBoot(than bootID: String) -> Bool {
    self.bootID != bootID && !isVirtual && !bootID.hasPrefix(Self.virtualBoot)
  }
  package var pid: Int32
  package var ending: Ending
  package var exitCode: Int32?

  package init(
    identity: String, owner: String, path: String, text: [UInt8], inputs: [Input], directory: String, started: WallTime,
    bootID: String, pid: Int32
  ) {
    self.identity = identity
    self.owner = owner
    self.path = path
    self.text = text
    self.inputs = inputs
    self.directory = directory
    self.started = started
    self.bootID = bootID
    self.pid = pid
    ending = .none
  }
}

extension RunRecord.Input: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let name = try reader.readText()
    self.init(name: name, value: try reader.readText())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(text: name)
    writer.put(text: value)
  }
}

extension RunRecord {
  /// Reads the name of the adapter, which older records do not have.
  static func readAdapter(_ reader: inout RawSpan) throws(DecodeError) -> String { reader.isAtEnd ? "" : try reader.readText() }
}
