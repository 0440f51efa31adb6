package import Exchange

/// What passes between a run and its host, for whoever watches it.
package enum ExchangeMessage: Sendable {
  case request(HostRequest)
  case report(HostReport)
}

package typealias ExchangeWatch = (ExchangeMessage) -> Void
