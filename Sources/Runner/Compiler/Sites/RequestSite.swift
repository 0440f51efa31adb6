import Exchange

/// `request phy "2M"`, `request speed "fast"`, `request interval 15ms`.
package struct RequestSite: Equatable, Sendable {
  package enum Setting: Equatable, Sendable { case phy, speed, interval }

  package var setting: Setting
  package var value: Operand
  /// Its failure on a later connection does not cost the link, for it has an `otherwise`.
  package var isTolerant: Bool
}
