import Packets
import Vocabulary

/// HCI command flow control (Vol 4, Part E, 4.4): one command in flight, and none while the
/// controller allows none.
///
/// More commands in flight would gain nothing, and controllers handle them badly.
struct CommandQueue: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var command: HCICommand
    var purpose: CommandPurpose
  }

  private(set) var outstanding: Entry?
  private var waiting: [Entry] = []
  private var isAllowed = true
  /// When the controller counts as unresponsive: the command in flight is not answered, or no
  /// command is allowed for too long.
  private(set) var deadline: Moment?
  /// How many commands may still be sent at once, and since when.
  private var allowance = HostLimits.commandBurst
  private var countedAt: Moment?
  /// When the next command may be sent. This limits the rate, whatever the controller allows.
  private(set) var resumesAt: Moment?

  var isIdle: Bool { if case .some = outstanding { false } else { waiting.isEmpty } }
  /// The number of commands that wait or are in flight.
  var count: Int { waiting.count + (outstanding == nil ? 0 : 1) }

  /// The command in flight and the waiting ones, none of which will be answered.
  var abandoned: [Entry] { (outstanding.map { [$0] } ?? []) + waiting }

  /// Whether an event that only allows commands brings no news.
  var isUnblocked: Bool { isAllowed && outstanding == nil }

  mutating func add(_ command: HCICommand, for purpose: CommandPurpose) {
    waiting.append(Entry(command: command, purpose: purpose))
  }

  /// Returns the command to send now.
  mutating func next(at now: Moment) -> HCICommand? {
    guard outstanding == nil, !waiting.isEmpty else { return nil }
    guard isAllowed else {
      if deadline == nil { deadline = now + HostLimits.command }
      return nil
    }
    earnAllowance(at: now)
    guard allowance > 0 else {
      resumesAt = (countedAt ?? now) + HostLimits.commandInterval
      return nil
    }
    resumesAt = nil
    allowance -= 1
    let entry = waiting.removeFirst()
    outstanding = entry
    deadline = now + HostLimits.command
    return entry.command
  }

  private mutating func earnAllowance(at now: Moment) {
    guard let since = countedAt, allowance < HostLimits.commandBurst else {
      countedAt = now
      return
    }
    let earned = max(0, (now - since).nanoseconds / HostLimits.commandInterval.nanoseconds)
    guard earned > 0 else { return }
    allowance = Int(min(Int64(HostLimits.commandBurst), Int64(allowance) + min(earned, Int64(HostLimits.commandBurst))))
    countedAt = since + HostLimits.commandInterval * earned
  }

  /// Returns the command that an answer belongs to; `nil` for an unexpected answer (late, unknown,
  /// or opcode 0x0000, which only allows commands).
  mutating func answered(_ opcode: HCIOpcode, allowed: UInt8) -> Entry? {
    isAllowed = allowed > 0
    if outstanding == nil { deadline = nil }
    guard let entry = outstanding, entry.command.opcode == opcode else { return nil }
    outstanding = nil
    deadline = nil
    return entry
  }
}

extension CommandQueue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    outstanding = try reader.next()
    waiting = try reader.next()
    isAllowed = try reader.next()
    deadline = try reader.next()
    allowance = try reader.next(0...HostLimits.commandBurst, "commands allowed")
    countedAt = try reader.next()
    resumesAt = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: outstanding, waiting, isAllowed, deadline, allowance, countedAt, resumesAt)
  }
}
