package import Exchange
import Linux
import Runner
package import Vocabulary

/// `tooth scan`: a host that scans and shows each device once.
package final class ScanSession {
  /// How to show a device as text.
  package enum Layout: Sendable {
    /// In columns, for a terminal.
    case table
    /// As fields separated by tabs, for programs.
    case fields
    /// In a picture that is redrawn during the scan.
    case live(ScanTable.Order, adapter: String, until: Moment)
    /// In words, for screen readers, with a line on stderr now and then.
    case words(until: Moment)
  }

  private let host: any HostPort
  private let console: Console
  private let zone: TimeZoneRules
  private let dump: PacketDump?
  private let layout: Layout
  /// Why the adapter is being recovered.
  private var trouble: Failure?
  private var sightings: Sightings
  private var hasHeader = false
  private lazy var formats = AdvertisedFormats()
  private var table = ScanTable()
  /// The signals over time, if a survey was requested.
  package var survey: SignalSurvey?
  private var drawnAt: Moment?
  /// The shortest time between two pictures.
  private static let drawEvery = TimeSpan.milliseconds(250)
  /// When the time that is left was last told in words.
  private var toldAt: Moment?
  /// The shortest time between two such lines.
  private static let tellEvery = TimeSpan.seconds(5)
  /// What to look for; `nil` for every device.
  package var what: ScanWhat?
  /// Whether to scan on the LE Coded PHY as well.
  package var listensCoded = false
  /// Whether to escape names in CSV that a spreadsheet would read as a formula.
  package var escapesFormulas = false
  private var isScanning = false
  private var closeBy: Moment?
  package private(set) var isOver = false
  package private(set) var failure: Failure?

  package init(host: any HostPort, console: Console, zone: TimeZoneRules, dump: PacketDump? = nil, layout: Layout = .table) {
    self.host = host
    self.console = console
    self.zone = zone
    self.dump = dump
    self.layout = layout
    // JSON has all data, so it includes the scan response.
    sightings = Sightings(showsEarly: console.style.format != .json)
    if case .live(let order, _, _) = layout {
      table = ScanTable(order: order, ascii: console.style.ascii)
      // A line of the log goes above the picture.
      console.beforeOutput = { [unowned console] in console.eraseDrawing() }
    }
  }

  package var count: Int { sightings.count }
  /// The named devices, up to a limit.
  package private(set) var named: [(address: String, name: String)] = []
  private static let namedLimit = 256

  package var nextDeadline: Moment? { earliest(host.nextDeadline, closeBy, sightings.nextDue, drawDue, tellDue) }

  private var drawDue: Moment? {
    guard case .live = layout, closeBy == nil else { return nil }
    return drawnAt.map { $0 + Self.drawEvery }
  }

  private var tellDue: Moment? {
    guard case .words(let end) = layout, closeBy == nil, let due = toldAt.map({ $0 + Self.tellEvery }) else { return nil }
    return due < end ? due : nil
  }

  private func tell(at now: Instant) {
    guard case .words(let end) = layout, let due = tellDue, due <= now.moment, now.moment < end else { return }
    toldAt = now.moment
    console.note("listening, \(((end - now.moment).milliseconds + 999) / 1000) s left")
  }

  private func draw(at now: Instant, isLast: Bool = false) {
    guard case .live(_, let adapter, let end) = layout, failure == nil else { return }
    if !isLast, let drawnAt, now.moment - drawnAt < Self.drawEvery { return }
    drawnAt = now.moment
    let size = terminalSize()
    console.draw(
      table.picture(
        columns: size.columns, lines: isLast ? nil : size.lines, left: isLast ? nil : end - now.moment, adapter: adapter,
        at: now.moment))
  }

  package func begin(seed: UInt64, at now: Instant) {
    host.begin(seed: seed, through: EffectGate(), at: now)
    takeReports(at: now)
  }

  private func takeReports(at now: Instant) {
    var newest: EventNumber?
    while let report = host.next(atRest: true) {
      newest = report.number
      take(report.event, at: now)
    }
    if let newest { host.send(HostRequest(id: OperationID(0), command: .acknowledge(newest)), at: now) }
    // A scan commits nothing.
    host.release(at: now)
    if host.isEnded { isOver = true }
  }

  private func take(_ event: HostEvent, at now: Instant) {
    switch event {
    case .adapterAway(let failure): trouble = failure
    case .adapterReady:
      trouble = nil
      guard !isScanning else { return }
      isScanning = true
      toldAt = now.moment
      survey?.begin(at: now)
      host.send(HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: listensCoded ? .coded : .full))), at: now)
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
    if failure.kind == .adapter { dump?.write(host.lastPackets, telling: console) }
  }

  private func heard(_ advertisement: Advertisement, at now: Instant) {
    guard what?.fits(advertisement) ?? true else { return }
    if case .live = layout { table.hear(advertisement, at: now.moment) }
    survey?.hear(advertisement, at: now)
    if let known = sightings.hear(advertisement, at: now.moment) { show(known, at: now) }
  }

  private func showPending(at now: Instant, all: Bool = false) {
    for advertisement in sightings.due(at: now.moment, all: all) { show(advertisement, at: now) }
  }

  private func show(_ advertisement: Advertisement, at now: Instant) {
    let services = advertisement.services.map { AssignedNumbers.name(ofService: $0) ?? "\($0)" }
    if let name = advertisement.name, named.count < Self.namedLimit { named.append((advertisement.address.withKind, name)) }
    switch console.style.format {
    case .text: show(advertisement, services)
    case .json:
      var line = JSONObject()
      line.set("time", zone.civil(now.wall).description)
      line.set("address", advertisement.address.withKind)
      line.set("rssi", advertisement.rssi.map { Int($0) })
      line.set("name", advertisement.name)
      line.set("services", services)
      line.set("connectable", advertisement.connectable)
      details(of: advertisement, in: &line)
      console.print(line.text + "\n")
    case .csv:
      if !hasHeader { console.print("address,rssi,name,services\n") }
      hasHeader = true
      let cells = [
        advertisement.address.withKind, advertisement.rssi.map { "\($0)" } ?? "",
        advertisement.name.map { escapesFormulas ? CSV.withoutFormula($0) : $0 } ?? "", services.joined(separator: " "),
      ]
      console.print(cells.map { CSV.quoted($0) }.joined(separator: ",") + "\n")
    }
  }

  /// The other data of an advertisement, in hexadecimal where no format is known.
  private func details(of advertisement: Advertisement, in line: inout JSONObject) {
    let maker = advertisement.manufacturer.first
    line.set("company", maker.map { Int($0.company) })
    line.set("maker", maker.flatMap { AssignedNumbers.companyName($0.company) })
    line.set("manufacturer", maker.map { Hex.text($0.data) })
    // A list, because a device may send data of one service twice.
    line.set(
      "service_data",
      advertisement.serviceData.map { entry in
        var object = JSONObject()
        object.set("service", AssignedNumbers.name(ofService: entry.service) ?? "\(entry.service)")
        object.set("data", Hex.text(entry.data))
        return object
      })
    line.set("tx_power", advertisement.txPower)
    line.set("appearance", advertisement.appearance.map { AssignedNumbers.name(ofAppearance: $0) ?? "\($0)" })
    if let value = formats.value(of: advertisement, zone: zone) {
      line.set("value", json: JSON.text(of: value, Surroundings(zone: zone)))
    } else {
      line.setNull("value")
    }
  }

  private func show(_ advertisement: Advertisement, _ services: [String]) {
    let address = advertisement.address.withKind
    let signal = advertisement.rssi.map { "\($0) dBm" } ?? "?"
    let maker = advertisement.manufacturer.first.map { AssignedNumbers.companyName($0.company) ?? "\(UUID($0.company))" }
    switch layout {
    case .live: break
    case .table:
      let name =
        advertisement.name.map { "\"\(Shown.name($0, columns: Shown.nameColumns - 2, ascii: console.style.ascii))\"" } ?? "-"
      let what = services.joined(separator: ", ")
      let line = "\(Shown.padded(address, 25)) \(Shown.padded(signal, 8)) \(Shown.padded(name, 24)) \(what)"
      let fits = console.columns.map { Shown.width(of: line) <= $0 } ?? true
      for line in fits ? [line] : TextTable.stacked([address, signal, name, what], columns: console.columns) {
        console.print(line + "\n")
      }
    case .fields:
      let strength = advertisement.rssi.map { "\($0)" } ?? "-"
      let name = advertisement.name ?? "-"
      let what = services.isEmpty ? "-" : services.joined(separator: ",")
      let fields: [String] = [address, strength, Shown.text(name), what, Shown.text(maker ?? "-")]
      console.print(fields.joined(separator: "\t") + "\n")
    case .words:
      let name = advertisement.name.map { Shown.name($0, ascii: console.style.ascii) } ?? "none"
      let what = services.isEmpty ? "" : ", \(services.joined(separator: ", "))"
      console.print("name: \(name), address: \(address), signal: \(signal)\(what)\n")
    }
  }

  /// Performs one round of the loop.
  package func step(at now: Instant) {
    for _ in 0..<64 {
      if host.receive(at: now) == .nothing { break }
      takeReports(at: now)
    }
    host.wake(at: now)
    takeReports(at: now)
    showPending(at: now)
    if isScanning, closeBy == nil {
      draw(at: now)
      tell(at: now)
    }
    if let closeBy, closeBy <= now.moment { isOver = true }
    if console.outputFailure != nil { isOver = true }
  }

  /// Ends the scan because the time is over or, with `byHand`, at the user's request.
  package func close(byHand: Bool = false, at now: Instant) {
    guard closeBy == nil else { return }
    closeBy = now.moment + .seconds(3)
    showPending(at: now, all: true)
    draw(at: now, isLast: true)
    console.beforeOutput = nil
    // What was received earlier does not make the scan complete.
    if let trouble { return fail(trouble) }
    if !isScanning, !byHand {
      return fail(Failure(.adapter, "the adapter was not ready in time, so nothing was heard", blame: .adapter, layer: .hci))
    }
    host.end(leavingLinks: false, at: now)
    takeReports(at: now)
  }
}
