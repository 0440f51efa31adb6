import Packets
import Vocabulary

/// The controller's resolving list, as far as its answers say (Vol 4, Part E, 7.8.38): whose
/// private addresses it resolves, so that it can wait for them by their identities.
struct Resolving: Equatable, Sendable {
  /// The scan that shows whether it resolves anybody at all.
  enum Probe: Equatable, Sendable {
    case none
    case due(Moment)
    case listening(until: Moment)
  }

  var entries: [ResolvingListEntry] = []
  /// Address resolution is enabled.
  var isEnabled = false
  /// The controller's list may be another one: it is cleared and filled again before it is used.
  var isUnsure = false
  /// Learnt when the list was full before it should be.
  var limit: Int?
  /// It was refused, or resolves nobody: not used until the next Reset.
  var isGivenUp = false
  /// It has resolved somebody.
  var isProven = false
  /// How often a device on the list was reported under an address that was not resolved.
  var missed = 0
  var probe = Probe.none
}

/// What the resolving list is to hold, and how it becomes so.
extension RadioArbiter {
  /// Whether this peer is on the controller's list.
  func resolves(_ peer: Address) -> Bool {
    radio.resolving.isEnabled && !radio.resolving.isGivenUp && radio.resolving.entries.contains { $0.peer == peer }
  }

  /// Whether the controller finds the peer of a request without a scan. A direct attempt relies
  /// only on a list that has resolved a device, because it has no time to find out.
  func findsItself(_ request: RequestedConnection) -> Bool {
    resolves(request.peer) && (request.request.pending || radio.resolving.isProven)
  }

  /// The addresses under which the controller is to look for a peer: the identity is enough once
  /// its list has resolved a device.
  func addresses(of peer: Address, _ surroundings: RadioSurroundings) -> [Address] {
    resolves(peer) && radio.resolving.isProven ? [peer] : surroundings.addresses(of: peer)
  }

  private func resolvingCapacity(_ surroundings: RadioSurroundings) -> Int {
    if radio.resolving.isGivenUp || resolvingLosses >= HostLimits.resolvingLosses { return 0 }
    let size = surroundings.facts.resolvingListSize
    return min(size, radio.resolving.limit ?? size)
  }

  /// Peers that are waited for, and after them those that are on the list already: it changes as
  /// seldom as it can.
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
    // a controller takes no IRK twice (7.8.38)
    for entry in candidates where chosen.count < capacity && !chosen.contains(where: { $0.peerKey == entry.peerKey }) {
      chosen.append(entry)
    }
    return chosen
  }

  /// What changes the list, while nothing is on the air; nothing when it is right.
  func resolvingSteps(_ surroundings: RadioSurroundings) -> [Radio.Step] {
    let now = radio.resolving
    let disable = Radio.Step(command: .leSetAddressResolutionEnable(false), mark: .resolution(false))
    let wanted = wantedEntries(surroundings)
    if now.isGivenUp { return now.isEnabled ? [disable] : [] }
    // Some controllers claim LE Remove Device From Resolving List and do not answer it: a list that
    // is to lose an entry is cleared.
    let isCleared = now.isUnsure || now.entries.contains { !wanted.contains($0) }
    let new = isCleared ? wanted : wanted.filter { !now.entries.contains($0) }
    guard isCleared || !new.isEmpty || now.isEnabled == wanted.isEmpty else { return [] }
    var steps = now.isEnabled ? [disable] : []
    if isCleared { steps.append(Radio.Step(command: .leClearResolvingList, mark: .unresolvedAll)) }
    for entry in new {
      steps.append(Radio.Step(command: .leAddToResolvingList(entry), mark: .resolved(entry)))
      // such peers advertise their identities too
      steps.append(Radio.Step(command: .leSetPrivacyMode(entry.peer, .device), mark: .privacyMode))
    }
    if !wanted.isEmpty { steps.append(Radio.Step(command: .leSetAddressResolutionEnable(true), mark: .resolution(true))) }
    return steps
  }

  var isProbing: Bool { if case .listening = radio.resolving.probe { true } else { false } }
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
    isProven = try reader.next()
    missed = try reader.next(0...HostLimits.missedResolutions, "addresses that were not resolved")
    probe = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: entries, isEnabled, isUnsure, limit, isGivenUp, isProven, missed, probe)
  }
}
