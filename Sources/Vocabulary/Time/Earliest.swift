/// The earliest of moments that may not be; nothing when none is.
package func earliest(_ left: Moment?, _ right: Moment?) -> Moment? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}

package func earliest(_ moments: Moment?...) -> Moment? { moments.reduce(nil) { earliest($0, $1) } }

extension Moment? {
  /// Becomes the other one if that is earlier. Nothing is allocated: it is done after each packet.
  package mutating func advance(to other: Moment?) {
    guard let other else { return }
    if let own = self, own <= other { return }
    self = other
  }
}
