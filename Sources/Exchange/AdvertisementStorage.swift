package import Vocabulary

// Events that no handler has taken yet are saved.

extension Advertisement.Manufacturer: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let company = try reader.readUInt16()
    self.init(company: company, data: try reader.readBlob())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(company)
    writer.put(blob: data)
  }
}

extension Advertisement.ServiceData: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let service = try UUID(reading: &reader)
    self.init(service: service, data: try reader.readBlob())
  }

  package func write(to writer: inout ByteWriter) {
    service.write(to: &writer)
    writer.put(blob: data)
  }
}

extension Advertisement: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(address: try Address(reading: &reader))
    rssi = try reader.readBool() ? Int(try reader.readInt8()) : nil
    name = try reader.readBool() ? try reader.readText() : nil
    services = try reader.next([UUID].self)
    solicited = try reader.next([UUID].self)
    manufacturer = try reader.next([Manufacturer].self)
    serviceData = try reader.next([ServiceData].self)
    txPower = try reader.readBool() ? Int(try reader.readInt8()) : nil
    appearance = try reader.readBool() ? try reader.readUInt16() : nil
    connectable = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    address.write(to: &writer)
    writer.put(rssi != nil)
    if let rssi { writer.put(Int8(clamping: rssi)) }
    writer.put(name != nil)
    if let name { writer.put(text: name) }
    writer.put(all: services)
    writer.put(all: solicited)
    writer.put(all: manufacturer)
    writer.put(all: serviceData)
    writer.put(txPower != nil)
    if let txPower { writer.put(Int8(clamping: txPower)) }
    writer.put(appearance != nil)
    if let appearance { writer.put(appearance) }
    writer.put(connectable)
  }
}
