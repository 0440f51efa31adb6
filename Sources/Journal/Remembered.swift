package import Vocabulary

/// A value that outlives its run.
package struct Remembered: Equatable, Sendable {
  package var name: String
  package var value: [UInt8]
  package var at: WallTime

  package init(name: String, value: [UInt8], at: WallTime) {
    self.name = name
    self.value = value
    self.at = at
  }
}
