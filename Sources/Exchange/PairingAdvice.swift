package import Vocabulary

/// What to do about pairings: how to reach an attribute that requires one, of which recipes that
/// pair already follow the first part, and what to do after the link was lost or not encrypted.
package enum PairingAdvice {
  package static let start =
    "add `pair` before it, or `use pairing automatic` at the top; on a command line, run `tooth pair` first; "
  package static let codes =
    "pair a device that requires a passkey with `on passkey request` or --passkey, one that shows digits to compare with "
    + "`on passkey confirm` or --confirm yes, after `forget` if there is already a bond without them"
  package static let lost = "move closer, and pair again; some devices disconnect instead of refusing a passkey"
  package static func silentStart(_ peer: Address) -> String {
    "the bond is kept; move closer and try again, or restart the device; "
      + "if it has lost its key, run `tooth forget \(peer)` and pair again"
  }
}
