/// The devices whose advertising a scanner reports (Vol 4, Part E, 7.8.10).
package enum ScanFilterPolicy: UInt8, Sendable {
  case everybody = 0
  case onlyList = 1
  case everybodyAndResolvable = 2
  case listAndResolvable = 3

  package var usesList: Bool { rawValue & 1 != 0 }
}
