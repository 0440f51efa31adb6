import Exchange
import Vocabulary

/// What a peripheral advertises.
extension Machine {
  mutating func advertise(_ site: AdvertiseSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) {
    var services: [UUID] = []
    for wanted in site.services { services.append(try uuid(wanted, fiber, base)) }
    var plan = AdvertisingPlan(services: services, name: served?.table.name)
    if let operand = site.every {
      guard case .duration(let span) = read(operand.raw, fiber, base), span >= .milliseconds(20), span <= .milliseconds(10_240)
      else {
        throw .value("an advertising interval is 20ms to 10.24s")
      }
      plan.interval = span
    }
    if let operand = site.with {
      guard case .record(let record) = read(operand.raw, fiber, base) else { throw .value("`advertise … with` takes a record") }
      try fill(&plan, record)
    }
    server.state.plan = plan
    // `serve` requests it after the table.
    if program.isPeripheral || !isAsking { order(.advertise, .advertise(plan)) }
  }

  mutating func stopAdvertising() {
    server.state.plan = nil
    order(.stopAdvertising, .stopAdvertising)
  }

  /// A number is a 16-bit UUID, as elsewhere.
  private static func service(_ value: Value) -> UUID? {
    switch value {
    case .uuid(let uuid): uuid
    default: value.whole.flatMap { UInt16(exactly: $0) }.map { UUID($0) }
    }
  }

  private func fill(_ plan: inout AdvertisingPlan, _ record: Record) throws(Failure) {
    for field in record.fields {
      switch (field.key, field.value) {
      case ("name", .text(let name)): plan.name = name
      case ("name", .nothing): plan.name = nil
      case ("connectable", .bool(let flag)): plan.connectable = flag
      case ("phy", .text(let name)):
        guard let phy = LinkRequest.PHY(name: name) else { throw .value("a PHY is \"1M\", \"2M\" or \"coded\"") }
        plan.phy = phy
      case ("tx_power", .int(let power)) where (-127...20).contains(power): plan.txPower = Int(power)
      case ("appearance", .int(let number)) where (0...0xFFFF).contains(number): plan.appearance = UInt16(number)
      case ("appearance", .text(let name)):
        guard let number = AssignedNumbers.appearance(named: name) else { throw .value("no appearance is called `\(name)`") }
        plan.appearance = number
      case ("manufacturer", let value):
        guard case .record(let data) = value, let company = data["company"]?.whole, (0...0xFFFF).contains(company),
          case .bytes(let bytes)? = data["data"]
        else {
          throw .value("`manufacturer` is a record: {company: 0x004c, data: hex \"01 02\"}")
        }
        plan.manufacturer.append(.init(company: UInt16(company), data: bytes))
      case ("service_data", let value):
        guard case .record(let data) = value, let uuid = data["service"].flatMap(Self.service),
          case .bytes(let bytes)? = data["data"]
        else {
          throw .value("`service_data` is a record: {service: heart_rate, data: hex \"01 02\"}")
        }
        plan.serviceData.append(.init(service: uuid, data: bytes))
      case ("solicit", .list(let list)):
        plan.solicited = try list.map { (value) throws(Failure) -> UUID in
          guard let uuid = Self.service(value) else { throw .value("`solicit` is a list of services: [ancs]") }
          return uuid
        }
      default:
        throw .value(
          "`advertise … with` has no `\(field.key)` like this",
          hint: "name, manufacturer, service_data, solicit, appearance, tx_power, connectable, phy")
      }
    }
  }
}
