/// The devices whose requests an advertiser answers (Vol 4, Part E, 7.8.5).
package enum AdvertisingFilterPolicy: UInt8, Sendable {
  case all = 0
  case scansFromList = 1
  case connectionsFromList = 2
  case listOnly = 3

  package var scansOnlyFromList: Bool { rawValue & 1 != 0 }
  package var connectionsOnlyFromList: Bool { rawValue & 2 != 0 }
}
