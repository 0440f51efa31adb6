import Journal
import Judgement
import Runner
import Session
import Testing
import Vocabulary

/// Four defects, planted one at a time where the shell performs effects. The judge must find each,
/// and nothing without them.
@Suite struct PlantedDefectTests {
  /// An H4 packet of data that carries this ATT PDU (Vol 4, Part E, 5.4.2; Vol 3, Part A, 3.1).
  private static func carries(_ point: EffectPoint, _ pdu: [UInt8]) -> Bool {
    guard case .packet(let bytes) = point.kind else { return false }
    return bytes.count == 9 + pdu.count && bytes[0] == 2 && Array(bytes.suffix(pdu.count)) == pdu
  }

  private static let open: [UInt8] = [0x12, 0x10, 0x00, 0x01, 0x58, 0x02]
  private static let subscription: [UInt8] = [0x12, 0x11, 0x00, 0x01, 0x00]

  private func rules(_ trial: Trial, _ evidence: Evidence, _ reference: Evidence) -> Set<Finding.Rule> {
    Set(trial.findings(evidence, uninterrupted: reference).map(\.rule))
  }

  @Test func findsASkippedCommit() throws {
    let trial = try Trial(.valve)
    let reference = try trial.uninterrupted()
    let second = Instant.simulationStart.moment + .hours(29)
    func run(skips: Bool) throws -> Set<Finding.Rule> {
      // The intent of the second morning's write is not committed; the write is sent, and the
      // process dies.
      let evidence = try trial.defective { point, now, _ in
        guard now.moment >= second else { return .goOn }
        if skips, case .commit(synced: true) = point.kind { return .leaveOut }
        return point.side == .after && Self.carries(point, Self.open) ? .kill : .goOn
      }
      #expect(evidence.lives.count == 2)
      return rules(trial, evidence, reference)
    }
    #expect(try run(skips: false) == [])
    #expect(try run(skips: true).contains(.write))
  }

  @Test func findsADoubledWrite() throws {
    let trial = try Trial(.valve)
    let reference = try trial.uninterrupted()
    let evidence = try trial.defective { point, now, world in
      if case .packet(let bytes) = point.kind, point.side == .after, Self.carries(point, Self.open) { world.send(bytes, at: now) }
      return .goOn
    }
    #expect(rules(trial, evidence, reference).contains(.write))
  }

  @Test func findsAForgottenSubscription() throws {
    let trial = try Trial(.heartRate)
    let reference = try trial.uninterrupted()
    func run(forgets: Bool) throws -> Set<Finding.Rule> {
      let evidence = try trial.defective { point, now, _ in
        now.moment >= Instant.simulationStart.moment + .seconds(20) ? .kill : .goOn
      } later: { point, now, world in
        // An unsubscription reaches and is confirmed by the peer, while the run believes that it is
        // subscribed.
        guard forgets, point.side == .before, case .packet(var bytes) = point.kind, Self.carries(point, Self.subscription) else {
          return .goOn
        }
        bytes[bytes.count - 2] = 0
        world.send(bytes, at: now)
        return .leaveOut
      }
      #expect(evidence.lives.count == 2)
      return rules(trial, evidence, reference)
    }
    #expect(try run(forgets: false) == [])
    #expect(try run(forgets: true).contains(.ending))
  }

  @Test func findsADiscoveryThatStartsOver() throws {
    let trial = try Trial(.heartRate)
    let reference = try trial.uninterrupted()
    func run(forgets: Bool) throws -> Set<Finding.Rule> {
      // Killed while its subscription is pending, after discovery was complete. Then the discovered
      // attributes are removed from the checkpoint.
      let evidence = try trial.defective { point, _, _ in
        point.side == .after && Self.carries(point, Self.subscription) ? .kill : .goOn
      } tampering: { state in
        guard forgets else { return }
        let store = try RunStore(RunID(RunIdentity(owner: .name("kill"), inputs: [])), in: state)
        var commit = Commit()
        commit.rows.append(Commit.Row(RowKey(.attributeCache, 0), nil))
        try store.commit(commit, appends: [], settled: [], at: (Instant.simulationStart + .seconds(1)).wall)
      }
      #expect(evidence.lives.count == 2)
      return rules(trial, evidence, reference)
    }
    #expect(try run(forgets: false) == [])
    #expect(try run(forgets: true).contains(.discovery))
  }
}
