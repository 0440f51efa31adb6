import Foundation
import Exchange
import Testing
import Vocabulary

@testable import Host

/// The second of two equal hosts. After every input it is written to bytes and restored from them.
/// It must then behave like the untouched one, to the last property and order.
struct ReencodedHost {
  /// Examines every host that a test has driven.
  @TaskLocal static var watcher: (@Sendable (Any) -> Void)?

  /// In long storms the twin is restored after every input at the beginning and sometimes later;
  /// always with `FULL=1`.
  static let isFull = ProcessInfo.processInfo.environment["FULL"] == "1"

  private var other: LEHost?
  private var count = 0

  mutating func handle(_ input: HostInput, by host: inout LEHost, at now: Instant) -> [HostOutput] {
    count += 1
    let isDue = Self.isDue(count)
    do {
      var other: LEHost
      // a test that modifies its host makes it differ from its state after the last input
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

  /// The same value, written and read back.
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
  /// Whether the arbiter knows every link and its state.
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
