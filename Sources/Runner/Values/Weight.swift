extension Value {
  /// About how much work it is to go over the value once, in steps of the interpreter. What lies
  /// deeper than one level is not looked at.
  var weight: Int {
    switch self {
    case .text(let text): text.utf8.count >> 7
    case .bytes(let bytes): bytes.count >> 7
    case .list(let list): list.count >> 1
    case .record(let record): record.fields.count >> 1
    case .secret(let secret): secret.value.weight
    default: 0
    }
  }
}
