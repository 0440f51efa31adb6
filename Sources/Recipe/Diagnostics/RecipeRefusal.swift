/// A recipe that cannot be run: its findings, and the texts they speak of. Exit code 3.
package struct RecipeRefusal: Error {
  package var findings: [Diagnostic]
  package var sources: [SourceText]

  package init(findings: [Diagnostic], sources: [SourceText]) {
    self.findings = findings
    self.sources = sources
  }
}
