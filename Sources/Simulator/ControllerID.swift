/// A virtual controller of one air.
package struct ControllerID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let index: Int

  init(index: Int) { self.index = index }

  package static func < (left: ControllerID, right: ControllerID) -> Bool { left.index < right.index }

  package var description: String { "controller \(index)" }
}
