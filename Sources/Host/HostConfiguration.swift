package import Exchange
package import Packets
package import Vocabulary

/// What whoever runs a host decides beforehand.
package struct HostConfiguration: Equatable, Sendable {
  /// Under which address the adapter is on the air.
  package enum OwnAddress: Equatable, Sendable {
    /// The controller's public address; a static random one made from the seed when it has none.
    case automatic
    /// This static random address (its 48 bits); the two upper bits are set by the host.
    case staticRandom(UInt64)
  }

  /// What is asked of a link (rule 8: a supervision timeout of 4 to 6 s, not the 420 ms of a
  /// kernel's default).
  package enum LinkProfile: Equatable, Sendable {
    /// 7.5 to 15 ms, 4 s.
    case fast
    /// 30 to 50 ms, 5 s.
    case balanced
    /// 100 to 200 ms, up to 4 events skipped, 6 s.
    case lowPower
    case explicit(ConnectionParameters)

    package var parameters: ConnectionParameters {
      switch self {
      case .fast: ConnectionParameters(intervalMinimum: 6, intervalMaximum: 12, supervisionTimeout: 400)
      case .balanced: ConnectionParameters(intervalMinimum: 24, intervalMaximum: 40, supervisionTimeout: 500)
      case .lowPower: ConnectionParameters(intervalMinimum: 80, intervalMaximum: 160, latency: 4, supervisionTimeout: 600)
      case .explicit(let parameters): parameters
      }
    }
  }

  package var ownAddress: OwnAddress
  package var profile: LinkProfile
  /// The ATT_MTU asked for and offered, 23 to 517.
  package var preferredMTU: UInt16
  /// Centrals at a time: advertising stops at so many, and goes on when one leaves.
  package var maximumCentrals: Int
  /// How many of the last packets are kept for the capture of a failure.
  package var keptPackets: Int
  /// Whether a controller that says nothing for long is asked if it lives. One inside this process
  /// cannot hang.
  package var asksSilentController: Bool
  /// Whether the controller is one of the kernel's, for what is told to do about it.
  package var isKernels: Bool
  /// Whether nobody has named the controller: in place of one that has never worked another one may
  /// be opened.
  package var mayBeAnother: Bool
  /// How centrals may pair with us; nothing refuses them.
  package var pairing: PairRequest?
  /// How long one private address of ours is used; nothing shows our identity to everybody.
  package var privateFor: TimeSpan?

  package init(
    ownAddress: OwnAddress = .automatic, profile: LinkProfile = .balanced, preferredMTU: UInt16 = 517, maximumCentrals: Int = 1,
    keptPackets: Int = 256, asksSilentController: Bool = true, isKernels: Bool = false,
    mayBeAnother: Bool = false, pairing: PairRequest? = nil,
    privateFor: TimeSpan? = nil
  ) {
    self.ownAddress = ownAddress
    self.profile = profile
    self.preferredMTU = min(max(preferredMTU, 23), 517)
    self.maximumCentrals = max(1, maximumCentrals)
    self.keptPackets = max(1, keptPackets)
    self.asksSilentController = asksSilentController
    self.isKernels = isKernels
    self.mayBeAnother = mayBeAnother
    self.pairing = pairing
    self.privateFor = privateFor
  }
}
