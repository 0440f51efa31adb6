import Journal
import Linux
import Session
import Vocabulary

/// Finds a run by its ID, the path of its recipe, its name, or a prefix of these. An exact match
/// takes precedence.
enum RunFinder {
  static func find(_ word: String, _ state: StateDirectory) throws(JournalFailure) -> RunID {
    let fitting = Self.fitting(word, state)
    guard let first = fitting.first else {
      throw JournalFailure(.unknown, "there is no run \(word)", hint: "tooth runs lists them")
    }
    guard fitting.count == 1 else { throw ambiguous(word, fitting) }
    return first
  }

  static func ambiguous(_ word: String, _ runs: [RunID], hint: String = "name one by its ID") -> JournalFailure {
    let shown = runs.prefix(8).map(\.text).joined(separator: ", ")
    return JournalFailure(
      .unknown, "\(word) could be any of \(runs.count) runs: \(shown)\(runs.count > 8 ? ", …" : "")", hint: hint)
  }

  static func fitting(_ word: String, _ state: StateDirectory) -> [RunID] {
    let all = state.runs()
    if let id = RunID(word), all.contains(id) { return [id] }
    guard !word.isEmpty else { return [] }
    let path = realPath(word) ?? absolute(word, in: workingDirectory())
    let runs = KnownRun.all(in: state)
    let named = [
      runs.filter { $0.snapshot?.record.path == path }.map(\.id), all.filter { $0.name == word },
      all.filter { $0.text.hasPrefix(word) },
      runs.filter { $0.snapshot?.record.path.hasPrefix(path) ?? false }.map(\.id),
    ]
    return named.first { !$0.isEmpty } ?? []
  }
}
