extension FormatType {
  var endsInNumber: Bool {
    switch self {
    case .number: true
    case .list(_, let element): element.endsInNumber
    default: false
    }
  }

  var isPlainWhole: Bool {
    if case .number(let number) = self { number.type.isWhole && number.scale == nil } else { false }
  }
}
