package import Exchange
package import Host
package import KeeperProcess
package import Vocabulary

/// A host whose computations are done: what it orders is sorted into packets and reports.
package struct HostNode {
  package struct Output {
    package var packets: [[UInt8]] = []
    /// Which of the packets hold a secret, and from which octet on.
    package var hidden: [(place: Int, from: Int)] = []
    package var reports: [HostReport] = []
    package var isClosed = false
    /// The transport is to be opened anew.
    package var reopens = false
  }

  package private(set) var host: LEHost

  // Task-local values are the concurrency library, which is in the program for nothing else.
  #if DEBUG
    /// For tests: behind every input the host is made anew of its bytes, as in a successor of its
    /// process.
    @TaskLocal package static var isRemade = false
  #else
    package static var isRemade: Bool { false }
  #endif

  package private(set) var toolbox: Toolbox

  package init(configuration: HostConfiguration = HostConfiguration(), toolbox: Toolbox = Toolbox()) {
    host = LEHost(configuration: configuration)
    self.toolbox = toolbox
  }

  package var nextDeadline: Moment? { host.nextDeadline }

  package mutating func feed(_ input: HostInput, at now: Instant) -> Output {
    var result = Output()
    var owed = perform(host.handle(input, at: now), &result)
    while !owed.isEmpty {
      let (id, computation) = owed.removeFirst()
      owed += perform(host.handle(.computed(id, toolbox.result(of: computation)), at: now), &result)
    }
    return result
  }

  /// Gives what is to be computed.
  private mutating func perform(_ outputs: [HostOutput], _ result: inout Output) -> [(ComputationID, Computation)] {
    var owed: [(ComputationID, Computation)] = []
    for output in outputs {
      switch output {
      case .send(let packet): result.packets.append(packet)
      case .sendHidden(let packet, let from):
        result.hidden.append((result.packets.count, from))
        result.packets.append(packet)
      case .report(let report): result.reports.append(report)
      case .compute(let id, let computation): owed.append((id, computation))
      case .closed: result.isClosed = true
      case .reopen:
        // What was meant for the old connection is worth nothing at the new one.
        result.packets = []
        result.hidden = []
        result.reopens = true
      }
    }
    if Self.isRemade, let other = try? LEHost(encoded: host.encoded) { host = other }
    return owed
  }
}
