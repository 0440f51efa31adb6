import Exchange

/// `request phy "2M"`, `request speed "fast"`, `request interval 15ms`.
package struct RequestSite: Equatable, Sendable {
  package enum Setting: Equatable, Sendable { case phy, speed, interval }

  package var setting: Setting
  package var value: Operand
}
