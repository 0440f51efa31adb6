/// A recipe that cannot run, with its findings and their texts. Exit code 3.
package struct RecipeRefusal: Error {
  package var findings: [Diagnostic]
  package var sources: [SourceText]

  package init(findings: [Diagnostic], sources: [SourceText]) {
    self.findings = findings
    self.sources = sources
  }
}
