import Vocabulary

/// The header with its row. A write marks the row, which goes into the next commit that has other
/// rows, or into the next turn's commit if it is urgent.
struct HeaderRow: Sendable {
  private var header: Tracked<Header>
  private var isUrgent = false
  /// The latest operation number. The checkpoint has only the reserved limit, so that no number is
  /// used twice, whatever was sent.
  private(set) var newestOperation: UInt64

  /// For a fresh run.
  init() {
    header = Tracked(Header(), isChanged: true)
    newestOperation = 0
  }

  /// From a checkpoint.
  init(stored: Header) {
    header = Tracked(stored, isChanged: true)
    newestOperation = stored.reservedOperations + Header.operationMargin
  }

  /// The header; changes are saved together with other rows.
  var value: Header {
    _read { yield header.value }
    _modify { yield &header.value }
  }

  /// The header; changes are saved with the next turn.
  var urgent: Header {
    _read { yield header.value }
    _modify {
      isUrgent = true
      yield &header.value
    }
  }

  mutating func nextFiber() -> UInt64 {
    defer { header.value.nextFiber += 1 }
    return header.value.nextFiber
  }

  mutating func nextTimer() -> UInt64 {
    defer { header.value.nextTimer += 1 }
    return header.value.nextTimer
  }

  mutating func nextOperation() -> UInt64 {
    newestOperation += 1
    if newestOperation > header.value.reservedOperations { urgent.reservedOperations = newestOperation + Header.operationBlock }
    return newestOperation
  }

  mutating func nextEffect() -> UInt64 {
    header.value.nextEffect += 1
    return header.value.nextEffect
  }

  mutating func nextEvent() -> UInt64 {
    header.value.sequence += 1
    return header.value.sequence
  }

  /// The generator's state is durable, so that a resumed run does not repeat its numbers.
  mutating func randomNumber() -> UInt64 { SplitMix.next(&header.value.random) }

  /// Counts a failure that no handler caught.
  /// - Parameter code: the exit code that it requests.
  mutating func countFailure(code: Int32? = nil) {
    header.value.failures += 1
    if header.value.failureCode == 0, let code { header.value.failureCode = Int64(code) }
  }

  /// Counts the failure of a body that waits at a prompt, which ends with its code.
  mutating func countParked(code: Int32) {
    countFailure()
    header.value.failureCode = Int64(code)
  }

  /// Takes back the count of a failure whose statement is retried.
  mutating func forgiveFailure() {
    guard header.value.failures > 0 else { return }
    header.value.failures -= 1
    if header.value.failures == 0 { header.value.failureCode = 0 }
  }

  // MARK: Storing

  mutating func rewrite() { header.rewrite() }

  /// - Parameter drops: counts of dropped events, which are part of the row; `changes` describes
  ///   them.
  mutating func store(_ drops: [DroppedEvents], _ changes: (isChanged: Bool, isUrgent: Bool), in commit: inout Commit) {
    if changes.isChanged { header.value.dropped = drops }
    if changes.isUrgent { isUrgent = true }
    guard header.isChanged, isUrgent || !commit.isEmpty else { return }
    isUrgent = false
    _ = header.takeChange()
    commit.rows.append(Commit.Row(RowKey(.header), header.value.encoded))
  }
}
