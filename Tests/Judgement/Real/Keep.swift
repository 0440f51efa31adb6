import Glibc

/// For debugging: `TOOTH_KEEP` names a directory in which everything is kept.
package func keep(_ evidence: Evidence, _ title: String, files: [String]) {
  guard let path = getenv("TOOTH_KEEP").map({ String(cString: $0) }) else { return }
  mkdir(path, 0o755)
  var text = title + "\n" + evidence.log.joined(separator: "\n") + "\n"
  for (index, life) in evidence.lives.enumerated() {
    text += "--- life \(index + 1) stdout\n\(life.output)--- stderr\n\(life.errors)"
  }
  for name in files { text += "--- \(name)\n\(evidence.files[name] ?? "(none)\n")" }
  text += "--- exit code \(evidence.exitCode)\n"
  let name = title.prefix { $0 != "(" }.split(separator: " ").joined(separator: "-")
  guard let file = fopen("\(path)/\(name).txt", "w") else { return }
  fputs(text, file)
  fclose(file)
}
