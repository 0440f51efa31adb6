import Exchange
import Packets
import Vocabulary

/// Notifications and indications (Vol 3, Part G, 4.10 and 4.11), from the start of the link.
extension GattPeer {
  mutating func receiveValue(_ bytes: [UInt8], _ effects: inout [GattEffect], _ now: Instant) {
    switch try? ATTPDU(encoded: bytes, name: "ATT PDU") {
    case .handleValueNotification(let handle, let value): arrived(handle, value, .notify, &effects, now)
    case .multipleHandleValueNotification(let list):
      for entry in list { arrived(entry.handle, entry.value, .notify, &effects, now) }
    case .handleValueIndication(let handle, let value): arrived(handle, value, .indicate, &effects, now)
    default:
      note("\(ATTOpcode.name(bytes.first ?? 0)) cannot be read: \(Hex.text(bytes))", &effects)
      // An indication that is not confirmed ends the link (rule 9).
      if bytes.first == ATTOpcode.handleValueIndication { send(.handleValueConfirmation, &effects) }
    }
  }

  private mutating func arrived(
    _ handle: AttributeHandle, _ value: [UInt8], _ kind: SubscriptionKind, _ effects: inout [GattEffect], _ now: Instant
  ) {
    // With a bond, values on an unencrypted link may come from an impostor (BLESA).
    if isUnproven {
      overflow = min(overflow + 1, 1 << 32)
      if kind == .indicate {
        hasMissedIndication = true
        send(.handleValueConfirmation, &effects)
      }
      return
    }
    let new = KeptValue(handle: handle, value: value, kind: kind, at: now, needsConfirmation: kind == .indicate)
    if deliver(new, isLate: false, &effects) { return }
    guard kept.count < AttributeLimits.keptValues else {
      overflow += 1
      if kind == .indicate { send(.handleValueConfirmation, &effects) }
      return
    }
    kept.append(new)
  }

  /// Reports a value to its subscribers, or to every owner of the link. Returns false if the handle
  /// has no known name yet.
  private mutating func deliver(_ arrived: KeptValue, isLate: Bool, _ effects: inout [GattEffect]) -> Bool {
    let subscription = subscriptions.first { $0.reference.handle == arrived.handle }
    guard let reference = subscription?.reference ?? (trust == .unchecked ? nil : attributeCache.reference(to: arrived.handle))
    else {
      return false
    }
    let event = HostEvent.notificationReceived(peer, reference, arrived.value, arrived.kind)
    let owners = subscription?.owners ?? []
    let isChange = arrived.kind == .indicate && isServiceChanged(arrived.handle)
    if isChange { servicesChanged(arrived.value, &effects) }
    if owners.isEmpty {
      if !isChange { effects.append(isLate ? .reportArrived(nil, event, at: arrived.at) : .reportToLinkOwners(event)) }
      if arrived.needsConfirmation { send(.handleValueConfirmation, &effects) }
      return true
    }
    guard arrived.needsConfirmation else {
      for owner in owners { effects.append(isLate ? .reportArrived(owner, event, at: arrived.at) : .report(owner, event)) }
      return true
    }
    var awaited = AwaitedIndication(parts: [])
    for owner in owners {
      awaited.parts.append(AwaitedIndication.Part(owner: owner, token: nextToken))
      effects.append(.reportIndication(owner, event, token: nextToken))
      nextToken += 1
    }
    indications.append(awaited)
    return true
  }

  /// Reports kept values in order after discovery has named a handle or the cache was validated.
  mutating func releaseKept(_ effects: inout [GattEffect]) {
    guard !kept.isEmpty else { return }
    let waiting = kept
    kept = []
    for value in waiting where !deliver(value, isLate: true, &effects) { kept.append(value) }
    if kept.count < waiting.count, overflow > 0 {
      effects.append(.reportToLinkOwners(.gap(peer, overflow)))
      overflow = 0
    }
  }

  /// Confirms indications that have waited too long for a name, and keeps their values.
  mutating func confirmUnnamed(_ effects: inout [GattEffect], _ now: Instant) {
    for place in kept.indices
    where kept[place].needsConfirmation && kept[place].at.moment + AttributeLimits.unnamedIndication <= now.moment {
      kept[place].needsConfirmation = false
      send(.handleValueConfirmation, &effects)
    }
  }

  /// Handles Service Changed (Vol 3, Part G, 7.1): drops the range from the cache.
  private mutating func servicesChanged(_ value: [UInt8], _ effects: inout [GattEffect]) {
    var reader = value.span.bytes
    var range = HandleRange.all
    if let changed = try? HandleRange(reading: &reader), reader.isAtEnd, changed.isValid { range = changed }
    attributeCache.forget(from: range.start, to: range.end)
    earlier.removeAll { range.contains($0) }
    renewSubscriptions { range.contains($0.reference.handle) || range.contains($0.configuration) }
    outstanding?.isStale = true
    hashIsRead = false
    serviceChangedIsDone = false
    effects.append(
      .reportToLinkOwners(
        .attributeCacheDropped(peer, "the device says that its attributes \(range.start) to \(range.end) have changed")))
    effects.append(.reportToLinkOwners(.attributeCacheChanged(peer, attributeCache)))
  }
}
