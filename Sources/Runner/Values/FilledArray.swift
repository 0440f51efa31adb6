extension Array {
  /// The same as `init(repeating:count:)`, which is not specialised as a whole and asks the runtime
  /// for the array's type in each call.
  init(filledWith element: Element, count: Int) {
    self = []
    reserveCapacity(count)
    for _ in 0..<count { append(element) }
  }
}
