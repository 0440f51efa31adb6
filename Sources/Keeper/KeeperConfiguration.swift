package import Host
package import Vocabulary

/// What whoever starts a keeper decides beforehand.
package struct KeeperConfiguration: Equatable, Sendable {
  /// Of the program; a client of another is refused.
  package var version: String
  /// As it was named: `hci0`.
  package var adapter: String
  /// Whose keeper it is. Others than this user and root are refused, unless the socket's mode lets
  /// its group in.
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
