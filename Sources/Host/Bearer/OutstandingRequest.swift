import Exchange
import Packets
import Vocabulary

/// The outstanding request and the purpose of its response.
struct OutstandingRequest: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    case mtu(ExchangeMTU)
    case databaseHash(ReadDatabaseHash)
    case probe(AttributeCache.Probe)
    case discovery(DiscoveryRequest)
    case declaration(CheckDeclaration)
    /// The stage of the current operation.
    case operation
  }

  var pdu: ATTPDU
  var purpose: Purpose
  var since: Moment
  /// Its number among the link's PDUs, from 1.
  var number: UInt64
  /// Whether its operation was cancelled. Its response is dropped, except for what discovery learns
  /// from it.
  var isOrphan = false
  /// Whether the cache was dropped meanwhile, so that the response no longer matches it.
  var isStale = false
  /// Whether the response may contain a secret.
  var isHidden = false
}
