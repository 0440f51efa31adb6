/// What stands on the air of the benchmarks.
enum Devices {
  /// Beats once a second.
  static let strap = strap(every: "1s")

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
        notify heart_rate_measurement with {bpm: 60 + beats mod 30, energy: beats mod 65536}
      end
    end

    """
  }
}
