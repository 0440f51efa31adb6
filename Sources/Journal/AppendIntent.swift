package import Runner

/// Data to append to a file, stored in the same transaction as the turn that requested it.
package struct AppendIntent: Equatable, Sendable {
  package var id: EffectID
  /// The absolute path of the file.
  package var path: String
  /// The size of the file in bytes when the intent was stored.
  package var offset: Int64
  package var bytes: [UInt8]

  package init(id: EffectID, path: String, offset: Int64, bytes: [UInt8]) {
    self.id = id
    self.path = path
    self.offset = offset
    self.bytes = bytes
  }
}
