package import Vocabulary

extension AdvertisingPlan: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      services: try reader.next(), name: try reader.next(), manufacturer: try reader.next(), serviceData: try reader.next(),
      solicited: try reader.next(), appearance: try reader.next(), txPower: try reader.next(), interval: try reader.next(),
      connectable: try reader.next(), phy: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: services, name, manufacturer, serviceData, solicited, appearance, txPower, interval, connectable, phy)
  }
}
