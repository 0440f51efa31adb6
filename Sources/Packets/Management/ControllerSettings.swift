/// The settings that a controller supports, or those that are on (BlueZ, doc/mgmt-api.txt, Read
/// Controller Information).
package struct ControllerSettings: OptionSet, Hashable, Sendable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Replaces the standard library's initialiser, which looks up its types on every call.
  package init(arrayLiteral elements: ControllerSettings...) { self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue }) }

  package static let powered = ControllerSettings(rawValue: 1 << 0)
  package static let connectable = ControllerSettings(rawValue: 1 << 1)
  package static let discoverable = ControllerSettings(rawValue: 1 << 3)
  package static let bondable = ControllerSettings(rawValue: 1 << 4)
  package static let classic = ControllerSettings(rawValue: 1 << 7)
  package static let lowEnergy = ControllerSettings(rawValue: 1 << 9)
  package static let advertising = ControllerSettings(rawValue: 1 << 10)
}
