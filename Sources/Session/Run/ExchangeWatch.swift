package import Exchange

/// A message between a run and its host, for a watcher.
package enum ExchangeMessage: Sendable {
  case request(HostRequest)
  case report(HostReport)
}

package typealias ExchangeWatch = (ExchangeMessage) -> Void
