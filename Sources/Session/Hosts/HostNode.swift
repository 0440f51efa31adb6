package import Exchange
package import Host
package import KeeperProcess
package import Vocabulary

/// A host with a toolbox for its computations. Its outputs are sorted into packets and reports.
package struct HostNode {
  package struct Output {
    package var packets: [[UInt8]] = []
    /// The packets that contain a secret, and the octet from which on.
    package var hidden: [(place: Int, from: Int)] = []
    package var reports: [HostReport] = []
    package var isClosed = false
    /// Whether the transport must be reopened.
    package var reopens = false
  }

  package private(set) var host: LEHost

  // Task-local values need the concurrency library, which the release program does without.
  #if DEBUG
    /// For tests: recreates the host from its bytes after every input, as a successor of its
    /// process would.
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

  /// Performs outputs. Returns the computations that they order.
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
        // Packets for the old connection are useless on the new one.
        result.packets = []
        result.hidden = []
        result.reopens = true
      }
    }
    if Self.isRemade, let other = try? LEHost(encoded: host.encoded) { host = other }
    return owed
  }
}
