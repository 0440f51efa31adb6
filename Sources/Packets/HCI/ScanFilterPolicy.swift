/// The devices whose advertising a scanner reports (Vol 4, Part E, 7.8.10).
package enum ScanFilterPolicy: UInt8, Sendable {
  case all = 0
  case listOnly = 1
  case allAndResolvable = 2
  case listAndResolvable = 3

  package var usesList: Bool { rawValue & 1 != 0 }
}
