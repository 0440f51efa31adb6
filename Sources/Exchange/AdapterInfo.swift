package import Vocabulary

/// What a controller said of itself at its initialisation.
package struct AdapterInfo: Equatable, Sendable {
  package var address: Address
  package var manufacturer: UInt16
  package var version: UInt8
  /// How many links it can hold, as far as known.
  package var filterAcceptListSize: UInt8
  package var extended: Bool

  package init(address: Address, manufacturer: UInt16, version: UInt8, filterAcceptListSize: UInt8, extended: Bool) {
    self.address = address
    self.manufacturer = manufacturer
    self.version = version
    self.filterAcceptListSize = filterAcceptListSize
    self.extended = extended
  }
}
