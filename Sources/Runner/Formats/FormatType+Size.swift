import Recipe

extension FormatType {
  /// How many bytes it always takes, if so.
  var fixedSize: Int? {
    switch self {
    case .number(let number): number.type.size
    case .uuid(let size, _): size
    case .address: 6
    case .dateTime: 7
    case .bytes(.constant(let size)), .text(.constant(let size)): Int(clamping: size)
    default: nil
    }
  }

  /// Its parts are in the trace by themselves.
  var isComposite: Bool {
    switch self {
    case .format, .list, .reading: true
    default: false
    }
  }
}
