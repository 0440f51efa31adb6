/// The air of `sim:demo`, which needs no file: a heart-rate strap and a room thermometer, as in
/// `recipes/devices/demo.ble`.
package enum DemoAir {
  package static let name = "demo"

  package static let text = #"""
    ## A heart-rate strap with one beat a second. `energy` numbers the beats, so that a loss shows.
    peripheral strap named "Strap 7"
      let beats = 0
      let level = 97

      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as "chest"
      end
      service battery_service
        characteristic battery_level can read starts as 97
      end
      service device_information
        characteristic manufacturer_name_string can read starts as "Tooth Works"
        characteristic model_number_string can read starts as "S7"
      end

      every 1s
        set beats to beats + 1
        notify heart_rate_measurement with {bpm: 60 + beats mod 30, energy: beats mod 65536}
      end
    end

    ## A room thermometer. It drifts by 0.1 degrees every ten seconds, three degrees up and down again.
    peripheral room named "Room 3"
      let steps = 0

      advertise environmental_sensing every 250ms
      service environmental_sensing
        characteristic temperature can read, notify starts as 21.3
        characteristic humidity can read starts as 44.5
      end
      service battery_service
        characteristic battery_level can read starts as 88
      end

      every 10s
        set steps to steps + 1
        update temperature to (243 - abs(30 - steps mod 60)) / 10
      end
    end

    """#
}
