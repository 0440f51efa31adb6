import Packets
import Vocabulary

/// The state of the controller's radio according to its answers, and the procedure in progress.
struct Radio: Equatable, Sendable {
  enum Initiator: Equatable, Sendable {
    case idle
    case on(InitiatorPlan)
    /// Create Connection Cancel was sent. Its Connection Complete may still report a success (rule
    /// 3).
    case cancelling(InitiatorPlan, until: Moment)
  }

  /// The state after a step succeeds.
  enum Mark: Equatable, Sendable {
    case none
    case scanning(ScanMode?)
    case listed(Address)
    case unlisted(Address)
    case listCleared
    case initiating(InitiatorPlan)
    case cancelled
    case advertising(Int?)
    case ownAddress(Address)
    // The resolving list.
    case resolution(Bool)
    case resolved(ResolvingListEntry)
    case unresolvedAll
    case privacyMode

    var isOfResolving: Bool {
      switch self {
      case .resolution, .resolved, .unresolvedAll, .privacyMode: true
      default: false
      }
    }
  }

  struct Step: Equatable, Sendable {
    var command: HCICommand
    var mark: Mark = .none
    /// Whether to ignore a refusal.
    var isOptional = false
  }

  var steps: [Step] = []
  /// Whether to stop the current scan first.
  var scanMustRestart = false
  /// Whether to stop the current attempt first.
  var initiatorMustRestart = false
  /// Whether the last cancel was refused, because the link already exists or the controller has no
  /// attempt.
  var cancelWasRefused = false
  /// Whether the cancelled attempt may have become a link that was not reported.
  var hasMissedConnection = false
  var scan: ScanMode?
  /// When the current scan started.
  var scannedSince: Moment?
  var initiator: Initiator = .idle
  /// Whether a refused attempt was already preceded by a cancel, so that no forgotten attempt can
  /// be the reason.
  var hasClearedAttempt = false
  /// The number of attempts in a row without a useful link, and the end of the pause because of
  /// them.
  var fruitless = 0
  var initiatesAt: Moment?
  /// When the current attempt started.
  var initiatedAt: Moment?
  /// The number of the advertising request that is on the air.
  var advertising: Int?
  /// The contents of the filter accept list.
  var acceptList: [Address] = []
  /// Whether the controller's list may differ. If so, it is cleared and filled again before its
  /// use.
  var acceptListIsUnsure = false
  /// The size of the list, once the controller has refused an entry.
  var acceptListLimit: Int?
  var resolving = Resolving()
  /// Whether the suggested data length and default PHY were set, once before the first link.
  var linkDefaultsSet = false

  /// Whether scanning and initiating alternate, because the controller refused both at once.
  var takesTurns = false
  var isScanTurn = false
  var turnEnds: Moment?
  /// The part of the requested peers that is on the list, if they are too many.
  var rotation = 0
  var rotationEnds: Moment?
  /// Whether scanning was refused. It is not tried again until something changes.
  var scanIsRefused = false
  /// Whether advertising was refused during links. It is tried again when one ends.
  var advertisingWaitsForLink = false

  init() {}
}
