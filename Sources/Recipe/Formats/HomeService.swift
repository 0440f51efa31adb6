package import Vocabulary

/// The service in which the Bluetooth SIG placed a characteristic, where a bare name is looked up
/// first.
package enum HomeService {
  package static func of(characteristic uuid: UUID) -> UUID? {
    guard let short = uuid.short else { return nil }
    for home in table where home.characteristics.contains(short) { return UUID(home.service) }
    return nil
  }

  /// The characteristics that the Bluetooth SIG placed in a service. The service's main
  /// characteristic comes first, if it has one.
  package static func characteristics(of service: UUID) -> [UUID] {
    guard let short = service.short, let home = (table + more).first(where: { $0.service == short }) else { return [] }
    return home.characteristics.map { UUID($0) }
  }

  /// The main characteristic of a service; `nil` for a service about many things.
  package static func main(of service: UUID) -> UUID? {
    guard let short = service.short, !collections.contains(short) else { return nil }
    return characteristics(of: service).first
  }

  /// generic_access, generic_attribute, device_information, user_data, environmental_sensing,
  /// human_interface_device
  private static let collections: [UInt16] = [0x1800, 0x1801, 0x180A, 0x181C, 0x181A, 0x1812]

  /// Services in which a bare name is not looked up first.
  private static let more: [(service: UInt16, characteristics: [UInt16])] = [
    // immediate_alert, link_loss
    (0x1802, [0x2A06]), (0x1803, [0x2A06]),
    // alert_notification
    (0x1811, [0x2A46, 0x2A45, 0x2A47, 0x2A48, 0x2A44]),
    // human_interface_device
    (0x1812, [0x2A4A, 0x2A4B, 0x2A4C, 0x2A4D, 0x2A4E]),
    // body_composition
    (0x181B, [0x2A9C, 0x2A9B]),
    // user_data
    (0x181C, [0x2A8A, 0x2A90, 0x2A87, 0x2A80, 0x2A85, 0x2A8C, 0x2A98, 0x2A8E]),
    // bond_management_service
    (0x181E, [0x2AA4, 0x2AA5]),
    // continuous_glucose_monitoring
    (0x181F, [0x2AA7, 0x2AA8, 0x2AA9, 0x2AAA, 0x2AAB, 0x2AAC]),
  ]

  private static let table: [(service: UInt16, characteristics: [UInt16])] = [
    // generic_access
    (0x1800, [0x2A00, 0x2A01, 0x2A04, 0x2AA6, 0x2AC9]),
    // generic_attribute
    (0x1801, [0x2A05, 0x2B29, 0x2B2A, 0x2B3A]),
    // current_time
    (0x1805, [0x2A2B, 0x2A0F, 0x2A14]),
    // glucose
    (0x1808, [0x2A18, 0x2A34, 0x2A51]),
    // health_thermometer
    (0x1809, [0x2A1C, 0x2A1D, 0x2A1E, 0x2A21]),
    // device_information
    (0x180A, [0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50]),
    // heart_rate
    (0x180D, [0x2A37, 0x2A38, 0x2A39]),
    // battery_service
    (0x180F, [0x2A19, 0x2BEA, 0x2BEB, 0x2BEC, 0x2BED]),
    // blood_pressure
    (0x1810, [0x2A35, 0x2A36, 0x2A49]),
    // running_speed_and_cadence
    (0x1814, [0x2A53, 0x2A54]),
    // cycling_speed_and_cadence
    (0x1816, [0x2A5B, 0x2A5C]),
    // cycling_power
    (0x1818, [0x2A63, 0x2A64, 0x2A65, 0x2A66]),
    // location_and_navigation
    (0x1819, [0x2A67, 0x2A68, 0x2A69, 0x2A6A, 0x2A6B]),
    // environmental_sensing
    (
      0x181A,
      [
        0x2A6C, 0x2A6D, 0x2A6E, 0x2A6F, 0x2A70, 0x2A71, 0x2A72, 0x2A73, 0x2A74, 0x2A75, 0x2A76, 0x2A77, 0x2A78, 0x2A79, 0x2A7A,
        0x2A7B,
        0x2AFB, 0x2B8C,
      ]
    ),
    // weight_scale
    (0x181D, [0x2A9D, 0x2A9E]),
    // tx_power
    (0x1804, [0x2A07]),
    // pulse_oximeter
    (0x1822, [0x2A5E, 0x2A5F, 0x2A60]),
  ]
}
