package import Vocabulary

/// What the database of a run says about the run itself, beside the state of its machine.
package struct RunRecord: Equatable, Sendable {
  /// Who ended the run: it decides what the next start does.
  package enum Ending: String, Sendable, CaseIterable {
    /// Nobody did: it runs, or its process was killed.
    case none
    case finished, stopped, failed, interrupted, terminated
  }

  package struct Input: Equatable, Sendable {
    package var name: String
    /// As it was typed; nothing of a secret.
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `RunIdentity.canonical`.
  package var identity: String
  /// Whose `remember`ed values these are.
  package var owner: String
  /// The recipe's real path, or what stands for it (`-`).
  package var path: String
  /// The whole text that the state belongs to.
  package var text: [UInt8]
  package var inputs: [Input]
  /// The SHA-256 of each file among them, in hex.
  package var pins: [Input] = []
  /// The working directory of the first start: file names are relative to it.
  package var directory: String
  package var started: WallTime
  /// The machine's boot in which the last commit was made.
  package var bootID: String
  /// Whether its times are those of a simulated clock, which begins again with each process.
  package var isVirtual: Bool { bootID.hasPrefix(Self.virtualBoot) }
  /// How the boot of a process with a virtual clock begins.
  package static let virtualBoot = "virtual "

  /// Whether the machine was started again since, as far as its clocks can say.
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
