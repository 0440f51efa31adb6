import Crypto
package import Exchange
package import Host
package import Vocabulary

/// A host with its cryptography: what it orders is sorted into packets and reports.
package struct HostNode {
  package struct Output {
    package var packets: [[UInt8]] = []
    package var reports: [HostReport] = []
    package var isClosed = false
    /// The transport is to be opened anew.
    package var reopens = false
  }

  package private(set) var host: LEHost

  /// For tests: behind every input the host is made anew of its bytes, as in a successor of its process.
  @TaskLocal package static var isRemade = false

  package init(configuration: HostConfiguration = HostConfiguration()) { host = LEHost(configuration: configuration) }

  package var nextDeadline: Moment? { host.nextDeadline }

  package mutating func feed(_ input: HostInput, at now: Instant) -> Output {
    var result = Output()
    var inputs = [input]
    var next = 0
    while next < inputs.count {
      for output in host.handle(inputs[next], at: now) {
        switch output {
        case .send(let packet): result.packets.append(packet)
        case .report(let report): result.reports.append(report)
        case .computeDatabaseHash(let message):
          // Without libcrypto the server has no hash that anybody could compare: zeros say nothing wrong, and clients discover anew.
          let hash = (try? databaseHash(of: message)) ?? [UInt8](repeating: 0, count: 16)
          inputs.append(.databaseHash(hash))
        case .closed: result.isClosed = true
        case .reopen:
          // What was meant for the old connection is worth nothing at the new one.
          result.packets = []
          result.reopens = true
        }
      }
      next += 1
      if Self.isRemade, let other = try? LEHost(carried: host.carried) { host = other }
    }
    return result
  }
}
