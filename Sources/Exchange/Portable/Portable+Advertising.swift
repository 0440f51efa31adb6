package import Vocabulary

extension Advertisement.Manufacturer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(company: try reader.next(), data: try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: company, data) }
}

extension Advertisement.ServiceData: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(service: try reader.next(), data: try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: service, data) }
}

extension Advertisement: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      address: try reader.next(), rssi: try reader.next(), name: try reader.next(), services: try reader.next(),
      manufacturer: try reader.next(), serviceData: try reader.next(), txPower: try reader.next(), appearance: try reader.next(),
      connectable: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: address, rssi, name, services, manufacturer, serviceData, txPower, appearance, connectable)
  }
}

extension AdvertisingPlan: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      services: try reader.next(), name: try reader.next(), manufacturer: try reader.next(), serviceData: try reader.next(),
      solicited: try reader.next(), appearance: try reader.next(), txPower: try reader.next(), interval: try reader.next(),
      connectable: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: services, name, manufacturer, serviceData, solicited, appearance, txPower, interval, connectable)
  }
}
