import Recipe

extension FormatType {
  /// The size in bytes, if it is always the same.
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

  /// Whether the trace lists its parts instead of the whole.
  var isComposite: Bool {
    switch self {
    case .format, .list, .reading: true
    default: false
    }
  }
}
