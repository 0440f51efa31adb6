import Runner
import Vocabulary

extension Doctor {
  /// Text for people: a line per finding, with its remedy below.
  package var text: String {
    var text = ""
    let width = findings.map { $0.area.rawValue.count }.max() ?? 0
    for finding in findings {
      let area = finding.area.rawValue + String(repeating: " ", count: width - finding.area.rawValue.count)
      text += "\(finding.isGood ? "good" : "BAD ")  \(area)  \(Shown.text(finding.text))\n"
      guard let cure = finding.cure else { continue }
      for (index, line) in cure.split(separator: "\n").enumerated() {
        text += String(repeating: " ", count: width + 8) + (index == 0 ? "= fix: " : "       ") + Shown.text(String(line)) + "\n"
      }
    }
    return text
  }

  /// One JSON object per line.
  package var json: String {
    findings.map { finding in
      var object = JSONObject()
      object.set("area", finding.area.rawValue)
      object.set("good", finding.isGood)
      object.set("text", finding.text)
      object.set("cure", finding.cure)
      return object.text + "\n"
    }.joined()
  }

  package var csv: String {
    findings.map { finding in
      [finding.area.rawValue, finding.isGood ? "good" : "bad", finding.text, finding.cure ?? ""].map { CSV.quoted($0) }
        .joined(separator: ",") + "\n"
    }.joined()
  }
}
