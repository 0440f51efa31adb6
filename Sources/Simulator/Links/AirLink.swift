import Packets
import Vocabulary

/// A link between two controllers: its connection events and its two sides.
///
/// Idle events are not stepped. They are at `anchor + n * interval`, and their effect on the timers
/// (each side received the other) is computed when it is needed.
struct AirLink: Sendable {
  /// The number of the link, from 1 over the whole run.
  let number: Int
  /// When CONNECT_IND was sent and both hosts got their event.
  let created: Moment
  var isAnnounced = false
  var central: LinkHalf
  var peripheral: LinkHalf
  /// The connection interval in 1.25 ms.
  var intervalUnits: UInt16
  var latency: UInt16
  /// The supervision timeout in 10 ms.
  var timeoutUnits: UInt16
  /// The time of event 0.
  var anchor: Moment
  /// The last event that was stepped.
  var lastStepped: Int64 = -1
  /// The last event with both sides present; the peripheral may sleep for `latency` events after
  /// it.
  var lastMutual: Int64 = 0
  /// Whether the last event failed, so that the peripheral listens to the next.
  var wasMissed = false
  /// From when nothing crosses it: out of range, reset, or a fault.
  var severed: Moment?
  var update: (instant: Int64, parameters: ConnectionParameters)?
  /// When a procedure that waits for a host fails (Vol 6, Part B, 5.2).
  var procedureEnds: Moment?
  var parameterRequest: ConnectionParameters?
  /// The agreement on a key in progress.
  var encryption: KeyAgreement?
  /// The channel map that the central sent last.
  var channelMap = ChannelMap.all
  /// The extended advertising set that led to the link, and its number of events.
  var advertisedBy: (set: UInt8, events: UInt8)?
  var random: SplitMix
  var generation: UInt64 = 0
  var scheduled: Moment?

  /// Sets the PHY in both directions from the first event on.
  mutating func setPHY(_ phy: UInt8) {
    for role in [LinkRole.central, .peripheral] {
      self[role].transmitPHY = phy
      self[role].receivePHY = phy
    }
  }

  subscript(role: LinkRole) -> LinkHalf {
    _read {
      switch role {
      case .central: yield central
      case .peripheral: yield peripheral
      }
    }
    _modify {
      switch role {
      case .central: yield &central
      case .peripheral: yield &peripheral
      }
    }
  }

  func role(of controller: Int) -> LinkRole { central.controller == controller ? .central : .peripheral }

  var interval: TimeSpan { .microseconds(1250) * Int64(intervalUnits) }
  var timeout: TimeSpan { .milliseconds(10) * Int64(timeoutUnits) }
  var isDead: Bool { !central.isAlive && !peripheral.isAlive }
  var isConnected: Bool { severed == nil && central.isAlive && peripheral.isAlive }
  var isEstablished: Bool { central.isEstablished && peripheral.isEstablished }

  /// Whether both sides receive each other at idle events, so that these need no stepping.
  var isSteady: Bool { isEstablished && !wasMissed }

  func time(ofEvent index: Int64) -> Moment { anchor + interval * index }

  /// The first event at or after a moment.
  func event(from time: Moment) -> Int64 {
    let since = (time - anchor).nanoseconds
    guard since > 0 else { return 0 }
    // Rounded up without a sum that could overflow at the end of time.
    return (since - 1) / max(1, interval.nanoseconds) + 1
  }

  /// The first event from this one on that the peripheral does not sleep through.
  func listening(from index: Int64) -> Int64 {
    let step = Int64(latency) + 1
    guard step > 1, !wasMissed, index > lastMutual else { return index }
    return lastMutual + (index - lastMutual + step - 1) / step * step
  }

  /// Applies the idle events before `now` to the timers of both sides.
  mutating func catchUp(to now: Moment) {
    guard isConnected, isAnnounced, isSteady else { return }
    let step = Int64(latency) + 1
    let last = event(from: now) - 1
    guard last > lastMutual else { return }
    lastMutual += (last - lastMutual) / step * step
    let heard = time(ofEvent: lastMutual)
    if heard > central.lastHeard { central.lastHeard = heard }
    if heard > peripheral.lastHeard { peripheral.lastHeard = heard }
  }

  /// When this side times out if it receives nothing more: after six intervals if it has received
  /// nothing yet (Vol 6, Part B, 4.5.2).
  func deadline(_ role: LinkRole) -> Moment {
    self[role].isEstablished ? self[role].lastHeard + timeout : created + interval * 6
  }

  /// When the next event with work is due; `nil` for an idle link.
  func nextMoment(now: Moment) -> Moment? {
    if !isAnnounced { return created }
    var next: Moment?
    if isConnected {
      if let index = nextEvent(now: now) { next.advance(to: time(ofEvent: index)) }
      if let update { next.advance(to: time(ofEvent: update.instant)) }
    }
    if !isConnected || !isSteady {
      if central.isAlive { next.advance(to: deadline(.central)) }
      if peripheral.isAlive { next.advance(to: deadline(.peripheral)) }
    }
    if let procedureDeadline { next.advance(to: procedureDeadline) }
    if let watch = nextWatch { next.advance(to: watch) }
    return next
  }

  /// The next event with work.
  func nextEvent(now: Moment) -> Int64? {
    let from = max(lastStepped + 1, event(from: now))
    if !isEstablished || wasMissed { return from }
    var next: Int64?
    if let item = central.first { next = listening(from: max(from, event(from: item.readyAt))) }
    if let item = peripheral.first {
      let index = max(from, event(from: item.readyAt))
      next = min(next ?? index, index)
    }
    return next
  }
}

extension LinkRole {
  var other: LinkRole { self == .central ? .peripheral : .central }
}
