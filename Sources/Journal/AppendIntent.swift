package import Runner

/// What is about to be added to a file, stored in the same transaction as the turn that asked for
/// it.
package struct AppendIntent: Equatable, Sendable {
  package var id: EffectID
  /// Absolute.
  package var path: String
  /// The size of the file when the intent was made.
  package var offset: Int64
  package var bytes: [UInt8]

  package init(id: EffectID, path: String, offset: Int64, bytes: [UInt8]) {
    self.id = id
    self.path = path
    self.offset = offset
    self.bytes = bytes
  }
}
