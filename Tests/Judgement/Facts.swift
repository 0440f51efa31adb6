/// What the test states about a recipe and its devices: everything that the judge takes as given.
package struct Facts {
  package var devices: [Device] = []
  /// Lines of stdout and rows of a file that follow from what reached the host.
  package var output = Output()
  /// Whether the clock was virtual: then a process does everything that is due in the very instant,
  /// and only what came in the instant of a kill may be unknown to it. Otherwise what came last
  /// before a kill may be.
  package var isVirtual = true

  package init() {}

  package struct Device {
    package var address: String
    package var writes: [Write]
    /// Of client characteristic configuration descriptors.
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
    /// When the recipe is due to make it, each time once; empty: once in the whole run.
    package var occasions: [Int64]
    /// Any one of these shows that the run ended in `unsure`, or handled it.
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
    /// The name of the file with one row a value, and its first line.
    package var file: String?
    package var header: String?
    /// What a row says beside its time: nothing when it is not a whole row.
    package var row: (String) -> String? = { $0 }
    /// Of a value, and of its number among all, from 0.
    package var rowOf: ([UInt8], Int) -> String = { _, _ in "" }
    package var lineOf: ([UInt8], Int) -> String = { _, _ in "" }
    /// What a line says beside the time: nothing when it is not a whole line.
    package var line: (String) -> String? = { $0 }
    /// The number that a device counts up with each value.
    package var counter: (([UInt8]) -> Int)?
    /// The number on a line in which the recipe says how much it counted.
    package var count: (String) -> Int? = { _ in nil }
    package var printsLines = true
    /// Exit code of a run that handled `unsure`, when it may differ from the uninterrupted one's.
    package var unsureExitCode: Int32?
    /// How a life that follows a kill says so on stderr.
    package var saysItGoesOn: ((String) -> Bool)?

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
