/// Which end of a link this is.
package enum LinkRole: UInt8, Sendable {
  case central = 0
  case peripheral = 1
}
