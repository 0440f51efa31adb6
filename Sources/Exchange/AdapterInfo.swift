package import Vocabulary

/// What a controller reported at its initialisation.
package struct AdapterInfo: Equatable, Sendable {
  package var address: Address
  package var manufacturer: UInt16
  package var version: UInt8
  /// The number of links it can hold, as far as known.
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
