/// Which of its addresses a controller uses (Vol 4, Part E, 7.8.5).
package enum OwnAddressType: UInt8, Sendable {
  case `public` = 0
  case random = 1
  case resolvableOrPublic = 2
  case resolvableOrRandom = 3
}
