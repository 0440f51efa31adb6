import Glibc
import Vocabulary

/// Writes to stderr.
func complain(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

/// Checks a property that must hold for every input. If it does not, libFuzzer keeps the input.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
  if holds { return }
  complain("demand not met: \(what())")
  abort()
}

/// Requires that a value read from bytes writes bytes that read as the same value, and that these
/// bytes are then stable.
@discardableResult
func roundTrip<Value: Portable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  guard let value = try? Value(encoded: bytes) else { return nil }
  let written = value.encoded
  guard let again = try? Value(encoded: written) else {
    demand(false, "\(type) \(value) was written as \(Hex.text(written)), which cannot be read")
    return value
  }
  // NaN does not equal itself, even deep inside a value; its description is the same.
  demand(again == value || "\(again)" == "\(value)", "\(type) \(value) was written as \(Hex.text(written)) and reads \(again)")
  demand(again.encoded == written, "\(type) \(value) is written in two ways")
  return value
}
