/// What the test declares about a recipe and its devices. The judge takes it as given.
package struct Facts {
  package var devices: [Device] = []
  /// Lines of stdout and rows of a file that follow from the packets that reached the host.
  package var output = Output()
  /// Whether the clock was virtual. Then a process does everything at the instant it is due, and
  /// only events at the instant of a kill may be lost. Otherwise the last events before a kill may
  /// be.
  package var isVirtual = true

  package init() {}

  package struct Device {
    package var address: String
    package var writes: [Write]
    /// Handles of client characteristic configuration descriptors.
    package var subscriptions: [Int]

    package init(address: String, writes: [Write] = [], subscriptions: [Int] = []) {
      self.address = address
      self.writes = writes
      self.subscriptions = subscriptions
    }
  }

  /// A write that the recipe makes.
  package struct Write {
    package var handle: Int
    package var value: [UInt8]?
    package var policy: Policy
    /// When the recipe has to make it, each time once; empty means once in the whole run.
    package var occasions: [Int64]
    /// Texts that each show that the run ended in `unsure` or handled it.
    package var unsure: [UnsureSign]

    package init(handle: Int, value: [UInt8]? = nil, policy: Policy, occasions: [Int64] = [], unsure: [UnsureSign] = []) {
      self.handle = handle
      self.value = value
      self.policy = policy
      self.occasions = occasions
      self.unsure = unsure
    }
  }

  package enum Policy: Equatable {
    case fail, `repeat`, verify, skip
  }

  package enum UnsureSign: Equatable {
    case exitCode(Int32)
    case standardError(String)
    /// The recipe asks the device, as its `otherwise if unsure` says.
    case read(Int)
  }

  package struct Output {
    package var source = Source.none
    /// The name of the file with one row per value, and its first line.
    package var file: String?
    package var header: String?
    /// The contents of a row without its time, or nil if the row is incomplete.
    package var row: (String) -> String? = { $0 }
    /// The expected row of a value, given its number among all values, from 0.
    package var rowOf: ([UInt8], Int) -> String = { _, _ in "" }
    package var lineOf: ([UInt8], Int) -> String = { _, _ in "" }
    /// The contents of a line without its time, or nil if the line is incomplete.
    package var line: (String) -> String? = { $0 }
    /// The number that a device increments with each value.
    package var counter: (([UInt8]) -> Int)?
    /// The number in a line in which the recipe prints its count.
    package var count: (String) -> Int? = { _ in nil }
    package var printsLines = true
    /// Exit code of a run that handled `unsure`, if it may differ from that of the uninterrupted
    /// run.
    package var unsureExitCode: Int32?
    /// How a life after a kill reports that on stderr.
    package var announcesContinuation: ((String) -> Bool)?

    package init() {}
  }

  package enum Source: Equatable {
    case none
    /// Values notified from this handle, each once.
    case notifications(device: String, handle: Int)
    /// One line for the last value that was read from this handle.
    case reading(device: String, handle: Int)
    /// One row for each write that reached this handle.
    case writes(device: String, handle: Int)
  }
}
