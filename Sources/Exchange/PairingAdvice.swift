/// How to reach an attribute that requires pairing. Recipes that pair on demand already follow the
/// first part.
package enum PairingAdvice {
  package static let start =
    "add `pair` before it, or `use pairing automatic` at the top; on a command line, run `tooth pair` first; "
  package static let codes =
    "pair a device that requires a passkey with `on passkey request` or --passkey, one that shows digits to compare with "
    + "`on passkey confirm` or --confirm yes, after `forget` if there is already a bond without them"
}
