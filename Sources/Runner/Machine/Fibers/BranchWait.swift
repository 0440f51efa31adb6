import Exchange
import Recipe
import Vocabulary

/// `for each … at once`: which elements have a branch, and which branches have failed.
struct BranchWait: Equatable, Sendable {
  /// A branch that has failed.
  struct Failed: Equatable, Sendable {
    /// The index of its element in the list.
    var number: Int
    var problem: Problem
    /// Where it failed; -1 if the recipe was edited since.
    var pc: Int
  }

  var site: Int
  /// The first element without a branch.
  var next = 0
  var running = 0
  /// The maximum number of branches that run at the same time.
  var limit: Int
  /// In the order of the list; at most `mostFailures`.
  var failed: [Failed] = []

  /// The maximum number of failures that are reported.
  static let mostFailures = 64
  /// The maximum number of concurrent branches, even without `up to`.
  static let mostRunning = 1024

  mutating func note(_ failure: Failed) {
    let place = failed.firstIndex { $0.number > failure.number } ?? failed.count
    failed.insert(failure, at: place)
    if failed.count > Self.mostFailures { failed.removeLast() }
  }
}

extension BranchWait: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    site = Int(try reader.readUInt16())
    next = Int(try reader.readUInt32())
    running = Int(try reader.readUInt16())
    limit = Int(try reader.readUInt16())
    failed = try reader.next([Failed].self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt16(truncatingIfNeeded: site))
    writer.put(UInt32(truncatingIfNeeded: next))
    writer.put(UInt16(truncatingIfNeeded: running))
    writer.put(UInt16(truncatingIfNeeded: limit))
    writer.put(all: failed)
  }
}

extension BranchWait.Failed: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    number = Int(try reader.readUInt32())
    guard case .problem(let problem) = try Value(reading: &reader) else { throw .invalid("failure of a branch", 0) }
    self.problem = problem
    pc = Int(try reader.readUInt32()) - 1
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: number))
    Value.problem(problem).write(to: &writer)
    writer.put(UInt32(truncatingIfNeeded: pc + 1))
  }
}
