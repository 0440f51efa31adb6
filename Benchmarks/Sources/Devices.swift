/// The devices on the air of the benchmarks.
enum Devices {
  /// Sends one heartbeat a second.
  static let strap = strap(every: "1s")

  /// A peripheral of 148 attributes with its own two services (GAP and GATT): UUIDs of both sizes,
  /// some that can notify, some with descriptors.
  static let crowded: String = {
    var names = ""
    var text = "peripheral crowd named \"Crowd\"\n  advertise heart_rate every 100ms\n"
    for service in 0..<12 {
      let isLong = service.isMultiple(of: 2)
      if isLong { names += "let s\(service) = 70010\(service + 100)-6b1d-4f6e-9d3a-2a4c1f0e5b77\n" }
      if !isLong { names += "let s\(service) = 0xFE\(service + 10)\n" }
      text += "  service s\(service)\n"
      for number in 0..<4 {
        let name = "c\(service)_\(number)"
        if isLong { names += "let \(name) = 7002\(service + 10)0\(number)-6b1d-4f6e-9d3a-2a4c1f0e5b77\n" }
        if !isLong { names += "let \(name) = 0xFD\(String(service, radix: 16))\(number)\n" }
        text += "    characteristic \(name) can read\(number > 1 ? ", notify" : "") starts as u32(\(number))\n"
      }
      text += "  end\n"
    }
    text += "  service battery_service\n    characteristic battery_level can read starts as 97\n  end\n"
    return names + text + "end\n"
  }()

  static func strap(every period: String) -> String {
    """
    peripheral strap named "Strap 7"
      let beats = 0
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as "chest"
      end
      service battery_service
        characteristic battery_level can read starts as 97
      end
      every \(period)
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: 60 + beats mod 30, contact: "unsupported", energy: beats mod 65536}
      end
    end

    """
  }
}
