package import Exchange

/// Which bytes became which field: what `tooth decode` prints.
package struct FormatTrace: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var offset: Int
    package var count: Int
    /// `rr[0]` for the elements of lists; nested formats with a point.
    package var name: String
    package var value: Value
    package var unit: String?
  }

  package var entries: [Entry] = []
}

/// Why bytes do not fit a format, with the place.
package struct FormatFault: Error, Equatable, Sendable {
  package var field: String
  package var offset: Int
  package var message: String
  /// `decode` for bytes that do not fit; `value` for a number that the language cannot hold.
  package var kind = Failure.Kind.decode
}
