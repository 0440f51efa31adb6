import Foundation
import Exchange
import Testing
import Vocabulary

@testable import Host

/// The other of two hosts with one life: it is taken apart to its bytes and made anew of them
/// behind every input, and whatever happens must be like the one that stays whole, to the last
/// property and the last order.
struct Twin {
  /// Who looks at every host that a test has led anywhere.
  @TaskLocal static var watcher: (@Sendable (Any) -> Void)?

  /// Long storms are remade behind every input at their beginning, and now and then behind that;
  /// all the way with `FULL=1`.
  static let isFull = ProcessInfo.processInfo.environment["FULL"] == "1"

  private var other: LEHost?
  private var count = 0

  mutating func handle(_ input: HostInput, by host: inout LEHost, at now: Instant) -> [HostOutput] {
    count += 1
    let isDue = Self.isDue(count)
    do {
      var other: LEHost
      // a test that lays hands on its host makes it another one than it was behind its last input
      if let same = self.other, !isDue || same == host { other = same } else { other = try LEHost(encoded: host.encoded) }
      self.other = nil
      let outputs = host.handle(input, at: now)
      let others = other.handle(input, at: now)
      if others != outputs {
        Issue.record("made anew, the host does something else at \(input): \(others) instead of \(outputs)")
      }
      if isDue {
        let bytes = other.encoded
        other = try LEHost(encoded: bytes)
        if other != host || other.encoded != bytes { Issue.record("the host's bytes do not hold all of it behind \(input)") }
      }
      self.other = other
      Self.watcher?(host)
      if !host.arbiterKnowsLinks { Issue.record("the arbiter knows other links than the host behind \(input)") }
      return outputs
    } catch {
      Issue.record("the host's own bytes cannot be read: \(error)")
      return host.handle(input, at: now)
    }
  }

  static func isDue(_ count: Int, first: Int = 40) -> Bool { isFull || count <= first || count % 128 == 0 }

  /// The same value, by way of its bytes.
  static func remade<Value: Portable & Equatable>(_ value: Value) -> Value {
    do {
      let bytes = value.encoded
      let other = try Value(encoded: bytes)
      if other != value || other.encoded != bytes { Issue.record("the bytes of \(Value.self) do not hold all of it: \(value)") }
      return other
    } catch {
      Issue.record("\(Value.self) cannot be read from its own bytes: \(error)")
      return value
    }
  }
}

extension LEHost {
  /// Whether the arbiter was told of every link, and of how far it is.
  fileprivate var arbiterKnowsLinks: Bool {
    arbiter.links.count == links.count
      && links.indices.allSatisfy { index in
        let link = links[index]
        let isEstablishing = link.stage == .establishing && !link.isHeard
        return arbiter.links.contains(
          .init(handle: link.handle, peer: link.peer, role: link.role, isEstablishing: isEstablishing))
      }
  }
}
