package import Exchange
package import Packets
package import Vocabulary

/// The settings of a host.
package struct HostConfiguration: Equatable, Sendable {
  /// The address that the adapter uses on the air.
  package enum OwnAddress: Equatable, Sendable {
    /// The controller's public address. If it has none, as `stored`.
    case automatic
    /// The static random address of stored bonds; one from the seed if there is none.
    case stored
    /// This static random address (48 bits); the host sets the two upper bits.
    case staticRandom(UInt64)
  }

  /// The parameters of new links. The supervision timeout is 4 to 6 s, not the 420 ms of the
  /// kernel's default (rule 8).
  package enum LinkProfile: Equatable, Sendable {
    /// An interval of 7.5 to 15 ms, a timeout of 4 s.
    case fast
    /// An interval of 30 to 50 ms, a timeout of 5 s.
    case balanced
    /// An interval of 100 to 200 ms, a latency of up to 4 events, a timeout of 6 s.
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
  /// The ATT_MTU to request and to offer, 23 to 517.
  package var preferredMTU: UInt16
  /// The most centrals at a time. Advertising stops at this number and resumes when one leaves.
  package var maximumCentrals: Int
  /// The number of packets to keep for the capture of a failure.
  package var keptPackets: Int
  /// Whether to check that a silent controller is alive. A controller inside this process cannot
  /// hang.
  package var asksSilentController: Bool
  /// Whether the controller belongs to the kernel, which changes the advice in failures.
  package var isKernels: Bool
  /// Whether the user named no controller, so that another may replace one that has never worked.
  package var mayBeAnother: Bool
  /// How centrals may pair with us; `nil` refuses them.
  package var pairing: PairRequest?
  /// How long one of our private addresses is used; `nil` always uses our identity address.
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
