extension Value {
  /// The approximate cost of processing the value once, in interpreter steps. Levels below the
  /// first are ignored.
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
