import Crypto
package import Exchange
package import Host
package import Vocabulary

/// A host with its cryptography: what it orders is sorted into packets and reports.
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

  package init(configuration: HostConfiguration = HostConfiguration()) { host = LEHost(configuration: configuration) }

  package var nextDeadline: Moment? { host.nextDeadline }

  package mutating func feed(_ input: HostInput, at now: Instant) -> Output {
    var result = Output()
    var hashed = perform(host.handle(input, at: now), &result)
    while !hashed.isEmpty {
      let message = hashed.removeFirst()
      // Without libcrypto the server has no hash that anybody could compare: zeros say nothing
      // wrong, and clients discover anew.
      let hash = (try? databaseHash(of: message)) ?? [UInt8](repeating: 0, count: 16)
      hashed += perform(host.handle(.databaseHash(hash), at: now), &result)
    }
    return result
  }

  /// Gives what a hash is to be computed of.
  private mutating func perform(_ outputs: [HostOutput], _ result: inout Output) -> [[UInt8]] {
    var hashed: [[UInt8]] = []
    for output in outputs {
      switch output {
      case .send(let packet): result.packets.append(packet)
      case .sendHidden(let packet, let from):
        result.hidden.append((result.packets.count, from))
        result.packets.append(packet)
      case .report(let report): result.reports.append(report)
      case .computeDatabaseHash(let message): hashed.append(message)
      case .closed: result.isClosed = true
      case .reopen:
        // What was meant for the old connection is worth nothing at the new one.
        result.packets = []
        result.hidden = []
        result.reopens = true
      }
    }
    if Self.isRemade, let other = try? LEHost(carried: host.carried) { host = other }
    return hashed
  }
}
