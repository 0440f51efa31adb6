import Exchange
import Vocabulary

/// Where a device's link stands.
enum LinkPhase: Equatable, Sendable {
  case idle
  /// A keeper holds the link of the run that was killed. It is taken up when `on restore` is over;
  /// if it is gone, its end will be told.
  case kept
  /// Its address type is learned from an advertisement first.
  case locating(OperationID, Moment?)
  /// Until when this attempt may take.
  case connecting(OperationID, Moment?)
  /// The next attempt waits, unless it is heard.
  case gated(until: Moment, listening: OperationID?)
  /// The set-up list runs: which item, and its command. With `Fiber.Role.refusedLink`, it waits
  /// before the `pair` for the `otherwise` that renews the bond.
  case settingUp(Int, OperationID)
  /// The recipe's own set-up statements run for the first time.
  case firstSetUp
  case onConnect
  case ready
  case closing(OperationID)
}
