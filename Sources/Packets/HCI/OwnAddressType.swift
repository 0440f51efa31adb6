/// The address that a controller uses for itself (Vol 4, Part E, 7.8.5).
package enum OwnAddressType: UInt8, Sendable {
  case `public` = 0
  case random = 1
  case resolvableOrPublic = 2
  case resolvableOrRandom = 3
}
