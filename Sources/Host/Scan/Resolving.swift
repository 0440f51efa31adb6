import Packets
import Vocabulary

/// The state of the controller's resolving list, as confirmed by the controller (Vol 4, Part E,
/// 7.8.38). With the list, the controller recognises bonded devices by their identity addresses.
struct Resolving: Equatable, Sendable {
  /// A short scan that shows whether the controller resolves addresses.
  enum Probe: Equatable, Sendable {
    case none
    case due(Moment)
    case listening(until: Moment)
  }

  var entries: [ResolvingListEntry] = []
  /// Whether address resolution is enabled.
  var isEnabled = false
  /// Whether the controller's entries may differ. The list is then cleared and filled before use.
  var isUnsure = false
  /// The number of entries that fit, once the controller has refused another one.
  var limit: Int?
  /// Whether the list was refused or resolves nothing. It is then not used until the next Reset.
  var isGivenUp = false
  /// Whether the controller has resolved an address.
  var hasResolved = false
  /// The number of reports of listed devices under unresolved addresses.
  var missed = 0
  var probe = Probe.none

  var isProbing: Bool { if case .listening = probe { true } else { false } }

  var nextDeadline: Moment? {
    switch probe {
    case .none: nil
    case .due(let moment), .listening(let moment): moment
    }
  }

  /// Applies a step that the controller has confirmed.
  mutating func apply(_ mark: Radio.Mark) {
    switch mark {
    case .resolution(let isEnabled): self.isEnabled = isEnabled
    case .resolved(let entry): entries.append(entry)
    case .unresolvedAll: (entries, isUnsure) = ([], false)
    default: break
    }
  }

  /// Applies a refusal. Returns its status if it is the reason to give up the list.
  mutating func refused(_ mark: Radio.Mark, _ status: HCIStatus) -> HCIStatus? {
    switch mark {
    case .resolved where status == .memoryExceeded && !entries.isEmpty:
      limit = entries.count
      return nil
    case .resolution(false): isEnabled = false
    default: break
    }
    return giveUp() ? status : nil
  }

  /// Counts a report of a listed device under an unresolved address. Returns whether the list is
  /// given up because of it.
  mutating func countMiss() -> Bool {
    if hasResolved { return false }
    missed += 1
    return missed >= HostLimits.missedResolutions && giveUp()
  }

  private mutating func giveUp() -> Bool {
    if isGivenUp { return false }
    (isGivenUp, probe) = (true, .none)
    return true
  }

  // MARK: The probe

  /// Schedules a probe, or cancels it.
  ///
  /// - Parameter isNeeded: whether a request relies on a list that has resolved nothing yet.
  mutating func planProbe(isNeeded: Bool, at now: Moment) {
    if !isNeeded {
      probe = .none
    } else if probe == .none {
      probe = .due(now + HostLimits.resolvingProbe)
    }
  }

  /// Begins or ends the probe that is due.
  mutating func wake(at now: Moment) {
    switch probe {
    case .due: probe = .listening(until: now + HostLimits.resolvingProbeSpan)
    case .listening: probe = .due(now + HostLimits.resolvingProbe - HostLimits.resolvingProbeSpan)
    case .none: break
    }
  }
}

/// The desired contents of the resolving list, and the steps that establish them.
extension RadioArbiter {
  /// Whether this peer is on the controller's list and address resolution is enabled.
  func resolves(_ peer: Address) -> Bool {
    radio.resolving.isEnabled && !radio.resolving.isGivenUp && radio.resolving.entries.contains { $0.peer == peer }
  }

  /// Whether the controller finds the peer of a request without a scan. A direct attempt needs a
  /// list that has resolved an address, because there is no time for a probe.
  func isFoundByController(_ request: RequestedConnection) -> Bool {
    resolves(request.peer) && (request.request.pending || radio.resolving.hasResolved)
  }

  /// The addresses at which the controller must look for a peer. The identity address is enough for
  /// a listed peer once the list has resolved an address.
  func addresses(of peer: Address, _ surroundings: RadioSurroundings) -> [Address] {
    resolves(peer) && radio.resolving.hasResolved ? [peer] : surroundings.addresses(of: peer)
  }

  /// The number of entries to use. The size of the list is not read, because few runs use the list
  /// and the controller refuses the first entry that does not fit.
  private func resolvingCapacity(_ surroundings: RadioSurroundings) -> Int {
    if !surroundings.facts.hasResolvingList || radio.resolving.isGivenUp { return 0 }
    if resolvingLosses >= HostLimits.resolvingLosses { return 0 }
    return radio.resolving.limit ?? HostLimits.resolvingEntries
  }

  /// The entries that should be on the list: the requested peers, then peers that are listed
  /// already, so that the list changes as little as possible.
  func wantedEntries(_ surroundings: RadioSurroundings) -> [ResolvingListEntry] {
    let capacity = resolvingCapacity(surroundings)
    guard capacity > 0 else { return [] }
    let listed = radio.resolving.entries
    let sought = wanted { surroundings.isPrivate($0.peer) }
    let known = surroundings.privatePeers.map(\.entry)
    let candidates =
      known.filter { sought.contains($0.peer) && listed.contains($0) }
      + known.filter { sought.contains($0.peer) && !listed.contains($0) }
      + known.filter { !sought.contains($0.peer) && listed.contains($0) }
    var chosen: [ResolvingListEntry] = []
    // A controller refuses a second entry with the same IRK (Vol 4, Part E, 7.8.38).
    for entry in candidates where chosen.count < capacity && !chosen.contains(where: { $0.peerKey == entry.peerKey }) {
      chosen.append(entry)
    }
    return chosen
  }

  /// The steps that update the list; empty if it is up to date. Nothing may be on the air during
  /// them.
  func resolvingSteps(_ surroundings: RadioSurroundings) -> [Radio.Step] {
    let now = radio.resolving
    let disable = Radio.Step(command: .leSetAddressResolutionEnable(false), mark: .resolution(false))
    let wanted = wantedEntries(surroundings)
    if now.isGivenUp { return now.isEnabled ? [disable] : [] }
    // Some controllers report LE Remove Device From Resolving List as supported but do not answer
    // it, so the list is cleared to remove an entry.
    let isCleared = now.isUnsure || now.entries.contains { !wanted.contains($0) }
    let new = isCleared ? wanted : wanted.filter { !now.entries.contains($0) }
    guard isCleared || !new.isEmpty || now.isEnabled == wanted.isEmpty else { return [] }
    var steps = now.isEnabled ? [disable] : []
    if isCleared { steps.append(Radio.Step(command: .leClearResolvingList, mark: .unresolvedAll)) }
    for entry in new {
      steps.append(Radio.Step(command: .leAddToResolvingList(entry), mark: .resolved(entry)))
      // The device may also advertise with its identity address.
      steps.append(Radio.Step(command: .leSetPrivacyMode(entry.peer, .device), mark: .privacyMode))
    }
    if !wanted.isEmpty { steps.append(Radio.Step(command: .leSetAddressResolutionEnable(true), mark: .resolution(true))) }
    return steps
  }

  var isProbing: Bool { radio.resolving.isProbing }
}

extension Resolving.Probe: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .none
    case 1: self = .due(try reader.next())
    case 2: self = .listening(until: try reader.next())
    case let other: throw .invalid("probe of the resolving list", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.put(0 as UInt8)
    case .due(let moment): writer.put(all: 1 as UInt8, moment)
    case .listening(let moment): writer.put(all: 2 as UInt8, moment)
    }
  }
}

extension Resolving: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    entries = try reader.next()
    isEnabled = try reader.next()
    isUnsure = try reader.next()
    limit = try reader.next()
    isGivenUp = try reader.next()
    hasResolved = try reader.next()
    missed = try reader.next(0...HostLimits.missedResolutions, "addresses that were not resolved")
    probe = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: entries, isEnabled, isUnsure, limit, isGivenUp, hasResolved, missed, probe)
  }
}
