/// The failure that ended a run, in each form in which it is shown.
package struct KeptFailure: Equatable, Sendable {
  package var text: String
  /// For `--diagnostics json`, and for `--events`; empty if the file does not have it.
  package var diagnostic: String
  package var event: String

  package init(text: String, diagnostic: String = "", event: String = "") {
    self.text = text
    self.diagnostic = diagnostic
    self.event = event
  }

  /// The forms follow each other, with NUL between them. If all are too long, only the text is
  /// stored, as far as there is room.
  func bytes(limit: Int) -> [UInt8] {
    let text = self.text.utf8.filter { $0 != 0 }
    let all = text + [0] + diagnostic.utf8 + [0] + event.utf8
    return Array(all.count <= limit ? all : Array(text.prefix(limit)))
  }

  init(reading bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    text = parts[0]
    diagnostic = parts.count > 1 ? parts[1] : ""
    event = parts.count > 2 ? parts[2] : ""
  }
}
