/// The two ways a server pushes values (Vol 3, Part G, 4.10 and 4.11).
package enum SubscriptionKind: UInt8, Sendable {
  case notify = 1
  case indicate = 2
}
