import Exchange
import Packets
import Vocabulary

/// The one request that may be outstanding, and what its answer is for.
struct OutstandingRequest: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    case mtu(ExchangeMTU)
    case databaseHash(ReadDatabaseHash)
    case probe(GattKnowledge.Probe)
    case discovery(DiscoveryRequest)
    case declaration(CheckDeclaration)
    /// The stage of the current operation.
    case operation
  }

  var pdu: ATTPDU
  var purpose: Purpose
  var since: Moment
  /// Which of the link's PDUs it was, from 1.
  var number: UInt64
  /// Its operation was cancelled: the answer is awaited and dropped, but for what discovery learns
  /// from it.
  var isOrphan = false
  /// What was known was forgotten meanwhile: what discovery learns from the answer no longer fits.
  var isStale = false
  /// Its answer may hold a secret.
  var isHidden = false
}
