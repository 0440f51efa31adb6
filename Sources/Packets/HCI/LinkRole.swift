/// The role of a device on a link.
package enum LinkRole: UInt8, Sendable {
  case central = 0
  case peripheral = 1
}
