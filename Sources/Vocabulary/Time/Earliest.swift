/// The earlier of two optional moments; `nil` if both are.
package func earliest(_ left: Moment?, _ right: Moment?) -> Moment? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}

package func earliest(_ moments: Moment?...) -> Moment? { moments.reduce(nil) { earliest($0, $1) } }

extension Moment? {
  /// Sets the other moment if it is earlier. Does not allocate, because it runs after each packet.
  package mutating func advance(to other: Moment?) {
    guard let other else { return }
    if let own = self, own <= other { return }
    self = other
  }
}
