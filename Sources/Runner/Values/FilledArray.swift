extension Array {
  /// As `init(repeating:count:)`, which is not fully specialised and looks up the array's type at
  /// run time in each call.
  init(filledWith element: Element, count: Int) {
    self = []
    reserveCapacity(count)
    for _ in 0..<count { append(element) }
  }
}
