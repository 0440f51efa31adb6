package import Exchange
import Host
import Linux
import Runner
package import Vocabulary

/// `tooth scan`: one host that listens, and each device once.
package final class ScanSession {
  private var node: HostNode
  /// The host, where a keeper has it.
  private var remote: KeeperHost?
  private let transport: any Transport
  private let console: Console
  private let zone: TimeZoneRules
  private let capture: Capture?
  private let dump: PacketDump?
  private var seed: UInt64 = 0
  /// The adapter is being recovered, and because of what.
  private var trouble: Failure?
  private var isTransportLost = false
  private var seen: [Address] = []
  private var pending: [(advertisement: Advertisement, due: Moment)] = []
  private var hasHeader = false
  private var isScanning = false
  private var closeBy: Moment?
  package private(set) var isOver = false
  package private(set) var failure: Failure?

  package init(
    transport: any Transport, console: Console, zone: TimeZoneRules, capture: Capture?, dump: PacketDump? = nil,
    remote: KeeperHost? = nil
  ) {
    self.remote = remote
    self.transport = transport
    node = HostNode(configuration: HostConfiguration(isKernels: transport.isKernels, mayBeAnother: transport.mayBeAnother))
    self.console = console
    self.zone = zone
    self.capture = capture
    self.dump = dump
  }

  package var count: Int { seen.count }

  package var nextDeadline: Moment? {
    earliest(remote == nil ? node.nextDeadline : remote?.nextDeadline, closeBy, pending.map(\.due).min())
  }

  package func begin(seed: UInt64, at now: Instant) {
    self.seed = seed
    if remote == nil { feed(.started(seed: seed), at: now) } else { takeReports(at: now) }
  }

  private func ask(_ request: HostRequest, at now: Instant) {
    if remote == nil { feed(.request(request), at: now) } else { remote?.send(request, at: now) }
  }

  private func takeReports(at now: Instant) {
    var newest: EventNumber?
    while let report = remote?.next() {
      newest = report.number
      take(report.event, at: now)
    }
    if let newest { ask(HostRequest(id: OperationID(0), command: .acknowledge(newest)), at: now) }
    if let refusal = remote?.refusal, !isOver {
      failure = refusal
      isOver = true
    }
  }

  private func feed(_ input: HostInput, at now: Instant) {
    let output = node.feed(input, at: now)
    for packet in output.packets {
      capture?.record(packet, isSent: true, at: now.wall)
      transport.send(packet, at: now)
    }
    for report in output.reports { take(report.event, at: now) }
    if output.reopens { reopen(at: now) }
    if output.isClosed { isOver = true }
  }

  private func reopen(at now: Instant) {
    do throws(SystemFailure) {
      if node.host.wantsAnother {
        console.log(.warning, "\(try transport.takeAnother(at: now)) is taken instead", at: now.wall, in: zone)
      } else {
        try transport.reopen(at: now)
      }
      isTransportLost = false
      feed(.started(seed: seed), at: now)
    } catch {
      feed(.transportLost("\(error)"), at: now)
    }
  }

  private func take(_ event: HostEvent, at now: Instant) {
    switch event {
    case .adapterAway(let failure): trouble = failure
    case .adapterReady:
      trouble = nil
      guard !isScanning else { return }
      isScanning = true
      ask(HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: .full))), at: now)
    case .adapterLost(let failure), .completed(_, .failure(let failure)):
      if failure.kind == .cancelled { return }
      fail(failure)
    case .advertisementReceived(_, let advertisement): heard(advertisement, at: now)
    case .noted(let level, let text): console.log(level, text, at: now.wall, in: zone)
    default: break
    }
  }

  private func fail(_ failure: Failure) {
    guard self.failure == nil else { return }
    self.failure = failure
    isOver = true
    if failure.kind == .adapter { dump?.write(node.host, telling: console) }
  }

  /// Each device is shown once, as soon as its name and services are known; one without them a moment after it was first heard, because a scan
  /// response follows the advertisement and may be lost once or twice.
  private func heard(_ advertisement: Advertisement, at now: Instant) {
    if let index = pending.firstIndex(where: { $0.advertisement.address == advertisement.address }) {
      pending[index].advertisement = advertisement
    } else {
      guard !seen.contains(advertisement.address) else { return }
      seen.append(advertisement.address)
      pending.append((advertisement, now.moment + Self.patience))
    }
    showPending(at: now)
  }

  private static let patience = TimeSpan.milliseconds(400)

  private func showPending(at now: Instant, all: Bool = false) {
    pending.removeAll { entry in
      let isWhole = entry.advertisement.name != nil && !entry.advertisement.services.isEmpty
      guard all || isWhole || entry.due <= now.moment else { return false }
      show(entry.advertisement, at: now)
      return true
    }
  }

  private func show(_ advertisement: Advertisement, at now: Instant) {
    let services = advertisement.services.map { AssignedNumbers.name(ofService: $0) ?? "\($0)" }
    switch console.style.format {
    case .text:
      func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
      let signal = advertisement.rssi.map { "\($0) dBm" } ?? "?"
      let name = advertisement.name.map { "\"\($0)\"" } ?? "-"
      console.print(
        "\(padded(advertisement.address.withKind, 25)) \(padded(signal, 8)) \(padded(name, 24)) \(services.joined(separator: ", "))\n"
      )
    case .json:
      var text = "{\"time\":"
      JSON.quote(zone.civil(now.wall).description, to: &text)
      text +=
        ",\"address\":\"\(advertisement.address.withKind)\",\"rssi\":\(advertisement.rssi.map { "\($0)" } ?? "null"),\"name\":"
      if let name = advertisement.name { JSON.quote(name, to: &text) } else { text += "null" }
      text += ",\"services\":["
      for (index, service) in services.enumerated() {
        if index > 0 { text += "," }
        JSON.quote(service, to: &text)
      }
      console.print(text + "],\"connectable\":\(advertisement.connectable)}\n")
    case .csv:
      if !hasHeader { console.print("address,rssi,name,services\n") }
      hasHeader = true
      let cells = [
        advertisement.address.withKind, advertisement.rssi.map { "\($0)" } ?? "", advertisement.name ?? "",
        services.joined(separator: " "),
      ]
      console.print(cells.map { CSV.quoted($0) }.joined(separator: ",") + "\n")
    }
  }

  /// One round of the loop.
  package func step(at now: Instant) {
    for _ in 0..<64 {
      let packets = transport.receive(at: now)
      let faults = transport.takeFaults()
      if transport.isBack, isTransportLost { feed(.transportBack, at: now) }
      if packets.isEmpty, faults.isEmpty { break }
      for packet in packets {
        if remote != nil {
          remote?.take(packet, at: now)
          continue
        }
        capture?.record(packet, isSent: false, at: now.wall)
        feed(.packet(packet), at: now)
      }
      for fault in faults {
        switch fault {
        case .outOfStep: feed(.outOfStep(fault.text), at: now)
        case .packetsDropped(let count): feed(.packetsDropped(count), at: now)
        case .backInStep: console.log(.log, fault.text, at: now.wall, in: zone)
        case .noAnswer, .halfPacket: console.log(.warning, fault.text, at: now.wall, in: zone)
        }
      }
      if remote != nil { takeReports(at: now) }
    }
    if remote != nil {
      if remote?.isTurning ?? false, transport.ending != nil { remote?.lost(at: now) }
      remote?.wake(at: now)
      takeReports(at: now)
      showPending(at: now)
      // What a keeper has found so far is not worth waiting for another.
      if let ending = transport.ending, !isOver, !(remote?.isTurning ?? false) {
        failure = Failure(.adapter, ending, blame: .adapter, layer: .os, hint: "tooth scan again starts another one")
        isOver = true
      }
      if console.outputFailure != nil { isOver = true }
      return
    }
    if let deadline = node.nextDeadline, deadline <= now.moment { feed(.deadline, at: now) }
    showPending(at: now)
    if let ending = transport.ending, !isOver, !isTransportLost {
      isTransportLost = true
      feed(.transportLost(ending), at: now)
    }
    if let closeBy, closeBy <= now.moment { isOver = true }
    if console.outputFailure != nil { isOver = true }
  }

  /// The end, because the time is over or, `byHand`, somebody wants it.
  package func close(byHand: Bool = false, at now: Instant) {
    guard closeBy == nil else { return }
    closeBy = now.moment + .seconds(3)
    showPending(at: now, all: true)
    // What was heard before does not make the time whole.
    if let trouble { return fail(trouble) }
    if !isScanning, !byHand {
      return fail(Failure(.adapter, "the adapter was not ready in time, so nobody has listened", blame: .adapter, layer: .hci))
    }
    if remote != nil {
      remote?.goodbye(at: now)
      isOver = true
      return
    }
    feed(.closing, at: now)
  }
}
