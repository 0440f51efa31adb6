/// What the test states about a recipe and its devices: everything that the judge takes as given.
struct Facts {
  var devices: [Device] = []
  /// Lines of stdout and rows of a file that follow from what reached the host.
  var output = Output()
  /// Whether the clock was virtual: then a process does everything that is due in the very instant, and only what came in the instant of a
  /// kill may be unknown to it. Otherwise what came last before a kill may be.
  var isVirtual = true

  struct Device {
    var address: String
    var writes: [Write] = []
    /// Of client characteristic configuration descriptors.
    var subscriptions: [Int] = []
  }

  /// A write that the recipe makes.
  struct Write {
    var handle: Int
    var value: [UInt8]?
    var policy: Policy
    /// When the recipe is due to make it, each time once; empty: once in the whole run.
    var occasions: [Int64] = []
    /// Any one of these shows that the run ended in `unsure`, or handled it.
    var unsure: [UnsureSign] = []
  }

  enum Policy: Equatable {
    case fail, `repeat`, verify, skip
  }

  enum UnsureSign: Equatable {
    case exitCode(Int32)
    case standardError(String)
    /// The recipe asks the device, as its `otherwise if unsure` says.
    case read(Int)
  }

  struct Output {
    var source = Source.none
    /// The name of the file with one row a value, and its first line.
    var file: String?
    var header: String?
    /// What a row says beside its time: nothing when it is not a whole row.
    var row: (String) -> String? = { $0 }
    /// Of a value, and of its number among all, from 0.
    var rowOf: ([UInt8], Int) -> String = { _, _ in "" }
    var lineOf: ([UInt8], Int) -> String = { _, _ in "" }
    /// What a line says beside the time: nothing when it is not a whole line.
    var line: (String) -> String? = { $0 }
    /// The number that a device counts up with each value.
    var counter: (([UInt8]) -> Int)?
    /// The number on a line in which the recipe says how much it counted.
    var count: (String) -> Int? = { _ in nil }
    var printsLines = true
    /// Exit code of a run that handled `unsure`, when it may differ from the uninterrupted one's.
    var unsureExitCode: Int32?
    /// How a life that follows a kill says so on stderr.
    var saysItGoesOn: ((String) -> Bool)?
  }

  enum Source: Equatable {
    case none
    /// Values notified from this handle, each once.
    case notifications(device: String, handle: Int)
    /// One line for the last value that was read from this handle.
    case reading(device: String, handle: Int)
    /// One row for each write that reached this handle.
    case writes(device: String, handle: Int)
  }
}
