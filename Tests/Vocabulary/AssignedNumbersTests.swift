import Testing

@testable import Vocabulary

@Suite struct AssignedNumbersTests {
  @Test(
    arguments: [
      ("heart_rate", 0x180D), ("environmental_sensing", 0x181A), ("device_information", 0x180A), ("battery_service", 0x180F),
      ("battery", 0x180F), ("generic_access", 0x1800), ("generic_attribute", 0x1801), ("glucose", 0x1808), ("current_time", 0x1805),
      ("current_time_service", 0x1805), ("health_thermometer", 0x1809), ("cycling_power", 0x1818), ("weight_scale", 0x181D),
    ] as [(String, UInt16)])
  func servicesHaveNames(name: String, number: UInt16) { #expect(AssignedNumbers.service(named: name) == UUID(number)) }

  @Test(
    arguments: [
      ("heart_rate_measurement", 0x2A37), ("body_sensor_location", 0x2A38), ("battery_level", 0x2A19), ("temperature", 0x2A6E),
      ("humidity", 0x2A6F), ("pressure", 0x2A6D), ("database_hash", 0x2B2A), ("client_supported_features", 0x2B29),
      ("service_changed", 0x2A05), ("device_name", 0x2A00), ("appearance", 0x2A01), ("temperature_measurement", 0x2A1C),
      ("temperature_type", 0x2A1D), ("blood_pressure_measurement", 0x2A35), ("weight_measurement", 0x2A9D),
      ("csc_measurement", 0x2A5B),
      ("cycling_power_measurement", 0x2A63), ("rsc_measurement", 0x2A53), ("manufacturer_name_string", 0x2A29),
      ("model_number_string", 0x2A24), ("firmware_revision_string", 0x2A26), ("current_time", 0x2A2B),
      ("co2_concentration", 0x2B8C),
      ("server_supported_features", 0x2B3A), ("heart_rate_control_point", 0x2A39),
    ] as [(String, UInt16)])
  func characteristicsHaveNames(name: String, number: UInt16) {
    #expect(AssignedNumbers.characteristic(named: name) == UUID(number))
    #expect(AssignedNumbers.name(ofCharacteristic: UUID(number)) == name)
  }

  /// The one service whose name differs from the SIG's.
  @Test func theAppleNotificationServiceHasAName() {
    let service = UUID("7905f431-b5ce-4e99-a40f-4b1e122d00d0")
    #expect(service != nil && AssignedNumbers.service(named: "ancs") == service)
    #expect(service.flatMap { AssignedNumbers.name(ofService: $0) } == "ancs")
    #expect(AssignedNumbers.allNames(.service).contains("ancs"))
  }

  @Test func descriptorsHaveNames() {
    #expect(AssignedNumbers.descriptor(named: "client_characteristic_configuration") == UUID(0x2902))
    #expect(AssignedNumbers.name(ofDescriptor: UUID(0x2901)) == "characteristic_user_description")
    #expect(AssignedNumbers.descriptor(named: "characteristic_user_descriptor") == UUID(0x2901))
  }

  @Test func appearancesHaveNames() {
    #expect(AssignedNumbers.appearance(named: "heart_rate_sensor") == 0x0340)
    #expect(AssignedNumbers.appearance(named: "heart_rate_belt") == 0x0341)
    #expect(AssignedNumbers.name(ofAppearance: 0x0040) == "phone")
    #expect(AssignedNumbers.name(ofAppearance: 0xFFFF) == nil)
  }

  @Test(arguments: AssignedNumbers.Kind.allCases)
  func everyLineIsFoundByItsNameAndByItsNumber(kind: AssignedNumbers.Kind) {
    let entries = Array(kind.table.entries)
    #expect(entries.count >= (kind == .descriptor ? 20 : 60))
    #expect(entries.map(\.name) == entries.map(\.name).sorted())
    #expect(Set(entries.map(\.number)).count == entries.count)
    for (name, number) in entries {
      #expect(kind.table.number(named: name) == number)
      #expect(name.utf8.allSatisfy { $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    }
    for (name, number) in entries.prefix(40) + entries.suffix(40) { #expect(kind.table.name(of: number) == name) }
  }

  @Test(arguments: [
    "", "=", "heart", "heart_rate_", "heart_rate_measuremen", "zzzz", "\n", "a=", "Heart_Rate", "heart_rate=180D", "\u{FF}",
  ])
  func unknownNamesHaveNoNumber(name: String) {
    #expect(AssignedNumbers.characteristic(named: name) == nil)
    #expect(AssignedNumbers.service(named: name) == nil)
    #expect(AssignedNumbers.appearance(named: name) == nil)
  }

  @Test func aLongUUIDHasNoName() throws {
    let uuid = try #require(UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
    #expect(AssignedNumbers.name(ofService: uuid) == nil)
    #expect(AssignedNumbers.name(ofService: UUID(short32: 0x1_180D)) == nil)
  }

  @Test func wordsFindNames() {
    let names = AssignedNumbers.names(containing: ["battery"]).prefix(2).map(\.name)
    #expect(names == ["battery_information", "battery_level"] || names == ["battery_level", "battery_service"])
    #expect(AssignedNumbers.names(containing: ["rate heart"], kinds: [.service]).map(\.name) == ["heart_rate"])
    #expect(AssignedNumbers.names(containing: ["measure", "Blood"]).map(\.name).contains("blood_pressure_measurement"))
    #expect(AssignedNumbers.names(containing: [" -- "]).isEmpty)
    #expect(AssignedNumbers.names(containing: ["nothing_of_the_kind"]).isEmpty)
  }

  @Test func companiesHaveNames() {
    #expect(AssignedNumbers.companyName(0x004C) == "Apple, Inc.")
    #expect(AssignedNumbers.companyName(0x0059) == "Nordic Semiconductor ASA")
    #expect(AssignedNumbers.companyName(0x0000) == "Ericsson AB")
    #expect(AssignedNumbers.companyName(0x0499) == "Ruuvi Innovations Ltd.")
    #expect(AssignedNumbers.companyName(0xFFFE) == nil)
    #expect(AssignedNumbers.company(named: "nordic semiconductor asa") == 0x0059)
    #expect(AssignedNumbers.company(named: "Nordic") == nil)
    #expect(AssignedNumbers.company(named: "apple") == 0x004C)
    #expect(AssignedNumbers.company(named: "apple_inc") == 0x004C)
    #expect(AssignedNumbers.company(named: "nordic_semiconductor") == 0x0059)
    #expect(AssignedNumbers.company(named: "ruuvi_innovations") == 0x0499)
    #expect(AssignedNumbers.company(named: "appl") == nil)
    #expect(AssignedNumbers.company(named: "apple_") == nil)
    #expect(AssignedNumbers.company(named: "") == nil)
  }

  @Test func everyCompanyIsFound() {
    let count = (0...UInt16.max).count { AssignedNumbers.companyName($0) != nil }
    #expect(count >= 4000)
  }
}
