package import Host
package import Vocabulary

/// The settings of a keeper.
package struct KeeperConfiguration: Equatable, Sendable {
  /// The version of the program. Clients of another version are refused.
  package var version: String
  /// The name of the adapter, such as `hci0`.
  package var adapter: String
  /// The user of the keeper. Others except root are refused, unless the socket's mode admits its
  /// group.
  package var user: UInt32
  package var letsGroupIn: Bool
  package var hold: TimeSpan
  package var keep: TimeSpan
  package var host: HostConfiguration

  package init(
    version: String, adapter: String, user: UInt32, letsGroupIn: Bool = false, hold: TimeSpan = KeeperLimits.hold,
    keep: TimeSpan = KeeperLimits.keep, host: HostConfiguration = HostConfiguration(maximumCentrals: HostLimits.centrals)
  ) {
    self.version = version
    self.adapter = adapter
    self.user = user
    self.letsGroupIn = letsGroupIn
    self.hold = hold
    self.keep = keep
    self.host = host
  }
}
