package import Exchange

/// A finding about a recipe's text: what is wrong, where, why, and how to fix it.
package struct Diagnostic: Equatable, Sendable {
  package enum Severity: String, Equatable, Sendable { case error, warning, note }

  /// A second place, with text that explains the first.
  package struct Label: Equatable, Sendable {
    package var range: SourceRange
    package var text: String

    package init(range: SourceRange, text: String) {
      self.range = range
      self.text = text
    }
  }

  /// An additional line below the picture: `= bytes  01`.
  package struct Fact: Equatable, Sendable {
    package var text: String
    /// Markers on the line below `text`: spaces, a caret, words. May be empty.
    package var marks: String

    package init(_ text: String, marks: String = "") {
      self.text = text
      self.marks = marks
    }
  }

  /// Never changes between versions: `T012`.
  package var code: String
  package var severity: Severity
  /// One sentence in the user's words.
  package var message: String
  package var range: SourceRange
  /// The text next to the caret; may be empty.
  package var label: String
  package var labels: [Label] = []
  package var facts: [Fact] = []
  package var fixes: [Fix] = []
  package var notes: [String] = []

  package init(
    _ code: String, _ message: String, at range: SourceRange, _ label: String = "", severity: Severity = .error,
    labels: [Label] = [], facts: [Fact] = [], fixes: [Fix] = [], notes: [String] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.range = range
    self.label = label
    self.labels = labels
    self.facts = facts
    self.fixes = fixes
    self.notes = notes
  }
}

/// A way to fix a finding. If there are several, a person must choose.
package struct Fix: Equatable, Sendable {
  package struct Edit: Equatable, Sendable {
    package var range: SourceRange
    package var replacement: String

    package init(range: SourceRange, replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }

  /// A line before the new text, such as `add before it`. If empty, the corrected line is shown.
  package var lead: String
  package var edits: [Edit]

  package init(lead: String = "", edits: [Edit]) {
    self.lead = lead
    self.edits = edits
  }

  /// Replaces `range`.
  package static func replace(_ range: SourceRange, with text: String) -> Fix {
    Fix(edits: [Edit(range: range, replacement: text)])
  }

  /// Inserts text before `range`.
  package static func insert(_ text: String, before range: SourceRange, lead: String = "") -> Fix {
    let place = SourceRange(file: range.file, start: range.start, end: range.start)
    return Fix(lead: lead, edits: [Edit(range: place, replacement: text)])
  }

  /// Inserts text after `range`.
  package static func insert(_ text: String, after range: SourceRange, lead: String = "") -> Fix {
    let place = SourceRange(file: range.file, start: range.end, end: range.end)
    return Fix(lead: lead, edits: [Edit(range: place, replacement: text)])
  }
}
