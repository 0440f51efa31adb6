import Packets
import Vocabulary

/// What the controller's radio does now, as far as its answers say, and the procedure that is under
/// way.
struct Radio: Equatable, Sendable {
  enum Initiator: Equatable, Sendable {
    case idle
    case on(InitiatorPlan)
    /// Create Connection Cancel was sent: its Connection Complete is awaited, and may still be a
    /// success (rule 3).
    case cancelling(InitiatorPlan, until: Moment)
  }

  /// What is true once a step was answered well.
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
    // Of the resolving list
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
    /// Whether a refusal is passed over.
    var isOptional = false
  }

  var steps: [Step] = []
  /// The scan that goes on is to be ended first.
  var scanMustRestart = false
  /// So is the attempt to connect.
  var initiatorMustRestart = false
  /// The last cancel was refused: either its link is made already, or the controller knows of no
  /// attempt.
  var cancelWasRefused = false
  /// The attempt that is cancelled may have become a link that was not told of.
  var hasMissedConnection = false
  var scan: ScanMode?
  /// When the scan that goes on began.
  var scannedSince: Moment?
  var initiator: Initiator = .idle
  /// A refused attempt was preceded by a cancel already: it is not for one that the host had lost
  /// sight of.
  var hasClearedAttempt = false
  /// Attempts in a row that ended without a link that anybody wanted, and until when there is a
  /// pause because of them.
  var fruitless = 0
  var initiatesAt: Moment?
  /// When the attempt that goes on began.
  var initiatedAt: Moment?
  /// The version of the advertising wish that is on the air.
  var advertising: Int?
  /// What is on the filter accept list.
  var acceptList: [Address] = []
  /// The controller's list may be another one: it is cleared and filled anew before it is used.
  var acceptListIsUnsure = false
  /// Learnt when the list was full before it should be.
  var acceptListLimit: Int?
  var resolving = Resolving()
  /// Suggested data length and default PHY were told, once before the first link.
  var linkDefaultsSet = false

  /// Learnt by a refusal: scanning and initiating take turns.
  var takesTurns = false
  var isScanTurn = false
  var turnEnds: Moment?
  /// Which part of too many wished peers is looked for.
  var rotation = 0
  var rotationEnds: Moment?
  /// Scanning was refused, and until something changes is not tried again.
  var scanIsRefused = false
  /// Advertising was refused while links are there: not before one ends.
  var advertisingWaitsForLink = false

  init() {}
}
