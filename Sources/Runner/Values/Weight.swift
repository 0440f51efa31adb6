extension Value {
  /// About how much work it is to go over the value once, in loop rounds of the interpreter. What
  /// lies deeper than one level is not looked at.
  var weight: Int {
    switch self {
    case .text(let text): text.utf8.count >> 9
    case .bytes(let bytes): bytes.count >> 9
    case .list(let list): list.count >> 3
    case .record(let record): record.fields.count >> 3
    case .secret(let secret): secret.value.weight
    default: 0
    }
  }
}
