/// The Bluetooth SIG's characteristics (GATT Specification Supplement) and the common beacons, as
/// format declarations of the language.
///
/// Control points have no format, because recipes write them as bytes.
enum BuiltInFormats {
  static let all: [(name: StaticString, text: StaticString)] = [
    (
      "heart_rate_measurement",
      #"""
      format heart_rate_measurement
        flags is bits(u8)
          wide is bit 0
          contact is bits 1 to 2 meaning unsupported = 0, none = 2, good = 3
          has_energy is bit 3
          has_rr is bit 4
        end
        bpm is u16 if flags.wide else u8
        energy is u16 unit "kJ" if flags.has_energy
        rr is list of u16 times 0.9765625 unit "ms" if flags.has_rr
      end
      """#
    ),
    (
      "body_sensor_location",
      #"""
      format body_sensor_location
        value is u8 meaning other = 0, chest = 1, wrist = 2, finger = 3, hand = 4, ear_lobe = 5, foot = 6
      end
      """#
    ),
    (
      "heart_rate_max",
      #"""
      format heart_rate_max
        value is u8 unit "bpm"
      end
      """#
    ),
    (
      "battery_level",
      #"""
      format battery_level
        value is u8 unit "%"
      end
      """#
    ),
    (
      "temperature",
      #"""
      format temperature
        value is i16 times 0.01 unit "°C" meaning nothing = -32768
      end
      """#
    ),
    (
      "humidity",
      #"""
      format humidity
        value is u16 times 0.01 unit "%" meaning nothing = 0xFFFF
      end
      """#
    ),
    (
      "pressure",
      #"""
      format pressure
        value is u32 times 0.1 unit "Pa"
      end
      """#
    ),
    (
      "elevation",
      #"""
      format elevation
        value is i24 times 0.01 unit "m"
      end
      """#
    ),
    (
      "illuminance",
      #"""
      format illuminance
        value is u24 times 0.01 unit "lx" meaning nothing = 0xFFFFFF
      end
      """#
    ),
    (
      "uv_index",
      #"""
      format uv_index
        value is u8
      end
      """#
    ),
    (
      "dew_point",
      #"""
      format dew_point
        value is i8 unit "°C"
      end
      """#
    ),
    (
      "heat_index",
      #"""
      format heat_index
        value is i8 unit "°C"
      end
      """#
    ),
    (
      "wind_chill",
      #"""
      format wind_chill
        value is i8 unit "°C"
      end
      """#
    ),
    (
      "rainfall",
      #"""
      format rainfall
        value is u16 unit "mm"
      end
      """#
    ),
    (
      "irradiance",
      #"""
      format irradiance
        value is u16 times 0.1 unit "W/m²"
      end
      """#
    ),
    (
      "true_wind_speed",
      #"""
      format true_wind_speed
        value is u16 times 0.01 unit "m/s"
      end
      """#
    ),
    (
      "apparent_wind_speed",
      #"""
      format apparent_wind_speed
        value is u16 times 0.01 unit "m/s"
      end
      """#
    ),
    (
      "true_wind_direction",
      #"""
      format true_wind_direction
        value is u16 times 0.01 unit "°"
      end
      """#
    ),
    (
      "apparent_wind_direction",
      #"""
      format apparent_wind_direction
        value is u16 times 0.01 unit "°"
      end
      """#
    ),
    (
      "co2_concentration",
      #"""
      format co2_concentration
        value is u16 unit "ppm" meaning nothing = 0xFFFF
      end
      """#
    ),
    (
      "measurement_interval",
      #"""
      format measurement_interval
        value is u16 unit "s"
      end
      """#
    ),
    (
      "temperature_measurement",
      #"""
      format temperature_measurement
        flags is bits(u8)
          is_fahrenheit is bit 0
          has_time is bit 1
          has_place is bit 2
        end
        celsius is medfloat unit "°C" if not flags.is_fahrenheit
        fahrenheit is medfloat unit "°F" if flags.is_fahrenheit
        time is date_time if flags.has_time
        place is temperature_type if flags.has_place
      end
      """#
    ),
    (
      "intermediate_temperature",
      #"""
      format intermediate_temperature
        flags is bits(u8)
          is_fahrenheit is bit 0
          has_time is bit 1
          has_place is bit 2
        end
        celsius is medfloat unit "°C" if not flags.is_fahrenheit
        fahrenheit is medfloat unit "°F" if flags.is_fahrenheit
        time is date_time if flags.has_time
        place is temperature_type if flags.has_place
      end
      """#
    ),
    (
      "temperature_type",
      #"""
      format temperature_type
        value is u8 meaning armpit = 1, body = 2, ear = 3, finger = 4, gastro_intestinal = 5, mouth = 6, rectum = 7, toe = 8, tympanum = 9
      end
      """#
    ),
    (
      "blood_pressure_measurement",
      #"""
      format blood_pressure_measurement
        flags is bits(u8)
          unit is bit 0 meaning mmHg = 0, kPa = 1
          has_time is bit 1
          has_pulse is bit 2
          has_user is bit 3
          has_status is bit 4
        end
        systolic is sfloat
        diastolic is sfloat
        mean is sfloat
        time is date_time if flags.has_time
        pulse is sfloat unit "bpm" if flags.has_pulse
        user is u8 if flags.has_user
        status is blood_pressure_status if flags.has_status
      end
      """#
    ),
    (
      "intermediate_cuff_pressure",
      #"""
      format intermediate_cuff_pressure
        flags is bits(u8)
          unit is bit 0 meaning mmHg = 0, kPa = 1
          has_time is bit 1
          has_pulse is bit 2
          has_user is bit 3
          has_status is bit 4
        end
        cuff is sfloat
        skip 4 bytes
        time is date_time if flags.has_time
        pulse is sfloat unit "bpm" if flags.has_pulse
        user is u8 if flags.has_user
        status is blood_pressure_status if flags.has_status
      end
      """#
    ),
    (
      "blood_pressure_status",
      #"""
      format blood_pressure_status
        status is bits(u16)
          body_movement is bit 0
          cuff_loose is bit 1
          irregular_pulse is bit 2
          pulse_range is bits 3 to 4 meaning within = 0, high = 1, low = 2
          improper_position is bit 5
        end
      end
      """#
    ),
    (
      "blood_pressure_feature",
      #"""
      format blood_pressure_feature
        features is bits(u16)
          body_movement is bit 0
          cuff_fit is bit 1
          irregular_pulse is bit 2
          pulse_range is bit 3
          position is bit 4
          several_bonds is bit 5
        end
      end
      """#
    ),
    (
      "weight_measurement",
      #"""
      format weight_measurement
        flags is bits(u8)
          is_imperial is bit 0
          has_time is bit 1
          has_user is bit 2
          has_body is bit 3
        end
        kilograms is u16 times 0.005 unit "kg" if not flags.is_imperial
        pounds is u16 times 0.01 unit "lb" if flags.is_imperial
        time is date_time if flags.has_time
        user is u8 if flags.has_user
        bmi is u16 times 0.1 if flags.has_body
        metres is u16 times 0.001 unit "m" if flags.has_body and not flags.is_imperial
        inches is u16 times 0.1 unit "in" if flags.has_body and flags.is_imperial
      end
      """#
    ),
    (
      "csc_measurement",
      #"""
      format csc_measurement
        flags is bits(u8)
          has_wheel is bit 0
          has_crank is bit 1
        end
        wheel_revolutions is u32 if flags.has_wheel
        wheel_time is u16 times 0.0009765625 unit "s" if flags.has_wheel
        crank_revolutions is u16 if flags.has_crank
        crank_time is u16 times 0.0009765625 unit "s" if flags.has_crank
      end
      """#
    ),
    (
      "csc_feature",
      #"""
      format csc_feature
        features is bits(u16)
          wheel is bit 0
          crank is bit 1
          several_locations is bit 2
        end
      end
      """#
    ),
    (
      "sensor_location",
      #"""
      format sensor_location
        value is u8 meaning other = 0, top_of_shoe = 1, in_shoe = 2, hip = 3, front_wheel = 4, left_crank = 5, right_crank = 6,
          left_pedal = 7, right_pedal = 8, front_hub = 9, rear_dropout = 10, chainstay = 11, rear_wheel = 12, rear_hub = 13, chest = 14,
          spider = 15, chain_ring = 16
      end
      """#
    ),
    (
      "rsc_measurement",
      #"""
      format rsc_measurement
        flags is bits(u8)
          has_stride is bit 0
          has_distance is bit 1
          gait is bit 2 meaning walking = 0, running = 1
        end
        speed is u16 times 0.00390625 unit "m/s"
        cadence is u8 unit "1/min"
        stride is u16 times 0.01 unit "m" if flags.has_stride
        distance is u32 times 0.1 unit "m" if flags.has_distance
      end
      """#
    ),
    (
      "rsc_feature",
      #"""
      format rsc_feature
        features is bits(u16)
          stride is bit 0
          distance is bit 1
          gait is bit 2
          calibration is bit 3
          several_locations is bit 4
        end
      end
      """#
    ),
    (
      "cycling_power_measurement",
      #"""
      format cycling_power_measurement
        flags is bits(u16)
          has_balance is bit 0
          balance_of is bit 1 meaning unknown = 0, left = 1
          has_torque is bit 2
          torque_of is bit 3 meaning wheel = 0, crank = 1
          has_wheel is bit 4
          has_crank is bit 5
          has_forces is bit 6
          has_torques is bit 7
          has_angles is bit 8
          has_top is bit 9
          has_bottom is bit 10
          has_energy is bit 11
          compensated is bit 12
        end
        power is i16 unit "W"
        balance is u8 times 0.5 unit "%" if flags.has_balance
        torque is u16 times 0.03125 unit "Nm" if flags.has_torque
        wheel_revolutions is u32 if flags.has_wheel
        wheel_time is u16 times 0.00048828125 unit "s" if flags.has_wheel
        crank_revolutions is u16 if flags.has_crank
        crank_time is u16 times 0.0009765625 unit "s" if flags.has_crank
        maximum_force is i16 unit "N" if flags.has_forces
        minimum_force is i16 unit "N" if flags.has_forces
        maximum_torque is i16 times 0.03125 unit "Nm" if flags.has_torques
        minimum_torque is i16 times 0.03125 unit "Nm" if flags.has_torques
        angles is cycling_power_angles if flags.has_angles
        top_angle is u16 unit "°" if flags.has_top
        bottom_angle is u16 unit "°" if flags.has_bottom
        energy is u16 unit "kJ" if flags.has_energy
      end
      """#
    ),
    (
      "cycling_power_angles",
      #"""
      format cycling_power_angles
        angles is bits(u24)
          maximum is bits 0 to 11
          minimum is bits 12 to 23
        end
      end
      """#
    ),
    (
      "device_name",
      #"""
      format device_name
        value is text
      end
      """#
    ),
    (
      "manufacturer_name_string",
      #"""
      format manufacturer_name_string
        value is text
      end
      """#
    ),
    (
      "model_number_string",
      #"""
      format model_number_string
        value is text
      end
      """#
    ),
    (
      "serial_number_string",
      #"""
      format serial_number_string
        value is text
      end
      """#
    ),
    (
      "hardware_revision_string",
      #"""
      format hardware_revision_string
        value is text
      end
      """#
    ),
    (
      "firmware_revision_string",
      #"""
      format firmware_revision_string
        value is text
      end
      """#
    ),
    (
      "software_revision_string",
      #"""
      format software_revision_string
        value is text
      end
      """#
    ),
    (
      "appearance",
      #"""
      format appearance
        value is u16
      end
      """#
    ),
    (
      "system_id",
      #"""
      format system_id
        manufacturer is u40
        organization is u24
      end
      """#
    ),
    (
      "pnp_id",
      #"""
      format pnp_id
        source is u8 meaning bluetooth = 1, usb = 2
        vendor is u16
        product is u16
        version is u16
      end
      """#
    ),
    (
      "peripheral_preferred_connection_parameters",
      #"""
      format peripheral_preferred_connection_parameters
        minimum_interval is u16 times 1.25 unit "ms" meaning nothing = 0xFFFF
        maximum_interval is u16 times 1.25 unit "ms" meaning nothing = 0xFFFF
        latency is u16
        timeout is u16 times 10 unit "ms" meaning nothing = 0xFFFF
      end
      """#
    ),
    (
      "central_address_resolution",
      #"""
      format central_address_resolution
        value is u8 meaning false = 0, true = 1
      end
      """#
    ),
    (
      "service_changed",
      #"""
      format service_changed
        first is u16
        last is u16
      end
      """#
    ),
    (
      "date_time",
      #"""
      format date_time
        value is date_time
      end
      """#
    ),
    (
      "day_of_week",
      #"""
      format day_of_week
        value is u8 meaning nothing = 0, monday = 1, tuesday = 2, wednesday = 3, thursday = 4, friday = 5, saturday = 6, sunday = 7
      end
      """#
    ),
    (
      "day_date_time",
      #"""
      format day_date_time
        time is date_time
        weekday is day_of_week
      end
      """#
    ),
    (
      "current_time",
      #"""
      format current_time
        time is date_time
        weekday is day_of_week
        fraction is u8 times 0.00390625 unit "s"
        reasons is bits(u8)
          manual is bit 0
          external is bit 1
          zone_changed is bit 2
          daylight_changed is bit 3
        end
      end
      """#
    ),
    (
      "local_time_information",
      #"""
      format local_time_information
        zone is i8 times 15 unit "min" meaning nothing = -128
        daylight is u8 meaning standard = 0, half_hour = 2, daylight = 4, double = 8, nothing = 255
      end
      """#
    ),
    (
      "tx_power_level",
      #"""
      format tx_power_level
        value is i8 unit "dBm"
      end
      """#
    ),
    (
      "alert_level",
      #"""
      format alert_level
        value is u8 meaning none = 0, mild = 1, high = 2
      end
      """#
    ),
    (
      "glucose_measurement",
      #"""
      format glucose_measurement
        flags is bits(u8)
          has_offset is bit 0
          has_sample is bit 1
          is_molar is bit 2
          has_status is bit 3
          context_follows is bit 4
        end
        sequence is u16
        time is date_time
        offset is i16 unit "min" if flags.has_offset
        mg_per_dl is sfloat times 100000 unit "mg/dL" if flags.has_sample and not flags.is_molar
        mmol_per_l is sfloat times 1000 unit "mmol/L" if flags.has_sample and flags.is_molar
        sample is glucose_sample if flags.has_sample
        status is glucose_status if flags.has_status
      end
      """#
    ),
    (
      "glucose_sample",
      #"""
      format glucose_sample
        sample is bits(u8)
          type is bits 0 to 3 meaning nothing = 0, capillary_whole_blood = 1, capillary_plasma = 2, venous_whole_blood = 3,
            venous_plasma = 4, arterial_whole_blood = 5, arterial_plasma = 6, undetermined_whole_blood = 7, undetermined_plasma = 8,
            interstitial_fluid = 9, control_solution = 10
          location is bits 4 to 7 meaning nothing = 0, finger = 1, alternate_site = 2, ear_lobe = 3, control_solution = 4, unknown = 15
        end
      end
      """#
    ),
    (
      "glucose_status",
      #"""
      format glucose_status
        status is bits(u16)
          battery_low is bit 0
          sensor_broken is bit 1
          sample_too_small is bit 2
          strip_insertion is bit 3
          strip_type is bit 4
          too_high is bit 5
          too_low is bit 6
          too_warm is bit 7
          too_cold is bit 8
          interrupted is bit 9
          device_fault is bit 10
          time_fault is bit 11
        end
      end
      """#
    ),
    (
      "glucose_feature",
      #"""
      format glucose_feature
        features is bits(u16)
          battery_low is bit 0
          sensor_broken is bit 1
          sample_too_small is bit 2
          strip_insertion is bit 3
          strip_type is bit 4
          result_range is bit 5
          temperature_range is bit 6
          interrupted is bit 7
          device_fault is bit 8
          time_fault is bit 9
          several_bonds is bit 10
        end
      end
      """#
    ),
    (
      "plx_spot_check_measurement",
      #"""
      format plx_spot_check_measurement
        flags is bits(u8)
          has_time is bit 0
          has_status is bit 1
          has_sensor is bit 2
          has_amplitude is bit 3
          clock_unset is bit 4
        end
        spo2 is sfloat unit "%"
        pulse is sfloat unit "bpm"
        time is date_time if flags.has_time
        status is u16 if flags.has_status
        sensor is u24 if flags.has_sensor
        amplitude is sfloat unit "%" if flags.has_amplitude
      end
      """#
    ),
    (
      "plx_continuous_measurement",
      #"""
      format plx_continuous_measurement
        flags is bits(u8)
          has_fast is bit 0
          has_slow is bit 1
          has_status is bit 2
          has_sensor is bit 3
          has_amplitude is bit 4
        end
        spo2 is sfloat unit "%"
        pulse is sfloat unit "bpm"
        fast_spo2 is sfloat unit "%" if flags.has_fast
        fast_pulse is sfloat unit "bpm" if flags.has_fast
        slow_spo2 is sfloat unit "%" if flags.has_slow
        slow_pulse is sfloat unit "bpm" if flags.has_slow
        status is u16 if flags.has_status
        sensor is u24 if flags.has_sensor
        amplitude is sfloat unit "%" if flags.has_amplitude
      end
      """#
    ),
    (
      "ibeacon",
      #"""
      format ibeacon for manufacturer 0x004C
        big endian
        _kind is u16 always 0x0215
        uuid is uuid
        major is u16
        minor is u16
        power is i8 unit "dBm"
      end
      """#
    ),
    (
      "eddystone_uid",
      #"""
      format eddystone_uid for service_data 0xFEAA
        _kind is u8 always 0x00
        power is i8 unit "dBm"
        namespace is bytes(10)
        instance is bytes(6)
      end
      """#
    ),
    (
      "eddystone_url",
      #"""
      format eddystone_url for service_data 0xFEAA
        _kind is u8 always 0x10
        power is i8 unit "dBm"
        url is eddystone_url_text
      end
      """#
    ),
    (
      "eddystone_tlm",
      #"""
      format eddystone_tlm for service_data 0xFEAA
        big endian
        _kind is u8 always 0x20
        _version is u8 always 0
        battery is u16 unit "mV" meaning nothing = 0
        temperature is i16 times 0.00390625 unit "°C" meaning nothing = -32768
        advertisements is u32
        uptime is u32 times 0.1 unit "s"
      end
      """#
    ),
    (
      "bthome",
      #"""
      format bthome for service_data 0xFCD2
        value is bthome_objects
      end
      """#
    ),
    (
      "govee",
      #"""
      format govee for manufacturer 0xEC88
        value is govee_reading
      end
      """#
    ),
    (
      "mibeacon",
      #"""
      format mibeacon for service_data 0xFE95
        value is mibeacon_objects
      end
      """#
    ),
    (
      "ruuvi",
      #"""
      format ruuvi for manufacturer 0x0499
        value is ruuvi_raw_v2
      end
      """#
    ),
    (
      "switchbot",
      #"""
      format switchbot for service_data 0xFD3D
        value is switchbot_reading
      end
      """#
    ),
  ]
}
