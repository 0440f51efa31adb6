extension Judge {
  /// A value that reached the host, and whether the process may have died, or been asked to end,
  /// before it read it.
  private struct Expected {
    var value: [UInt8]
    var isOptional: Bool
    var line: Int
  }

  /// Rule 2, and the counts of rule 3.
  package func judgeOutput(_ evidence: Evidence, _ course: Course) -> [Finding] {
    var findings: [Finding] = []
    let expected: [Expected]
    switch facts.output.source {
    case .none: return []
    case .notifications(let device, let handle):
      expected = notifications(device, handle, evidence, course)
      findings += judgeGaps(expected, course)
    case .writes(let device, let handle):
      expected = course.lines.filter { line in
        line.isAttribute && line.to == device && line.delivered == true && line.bytes.first == 0x12
          && AttributeMessage(bytes: line.bytes).handle == handle
      }.map { Expected(value: AttributeMessage(bytes: $0.bytes).value, isOptional: false, line: $0.number) }
    case .reading(let device, let handle):
      // It is read again if it was not known to be read; the last reading counts.
      let readings = course.exchanges.filter { exchange in
        guard exchange.device == device, let answer = exchange.answer, !answer.isError else { return false }
        if exchange.request.opcode == 0x0A { return exchange.request.handle == handle }
        return exchange.request.opcode == 0x08 && answer.word(2) == handle
      }
      expected = readings.suffix(1).map { Expected(value: $0.answer?.value ?? [], isOptional: false, line: $0.line.number) }
    }
    var handled: [Expected]?
    if let name = facts.output.file {
      let (found, matched) = judgeFile(name, expected, evidence)
      findings += found
      // A value with a row was handled, so it has a line, too, and is counted.
      handled = matched?.map { Expected(value: expected[$0].value, isOptional: false, line: expected[$0].line) }
    }
    findings += judgeLines(handled ?? expected, evidence)
    if let announcesContinuation = facts.output.announcesContinuation {
      let isHeard = evidence.lives.count == course.kills.count + 1
      for (index, life) in evidence.lives.enumerated().dropFirst(isHeard ? 1 : evidence.lives.count - 1) {
        // A process that was killed before it did anything has nothing to resume.
        guard let kill = isHeard ? course.kills.dropFirst(index - 1).first : course.kills.last,
          course.lines[..<kill.index].contains(where: { $0.kind == "connect_ind" })
        else { continue }
        if !life.errors.split(separator: "\n").contains(where: { announcesContinuation(String($0)) }),
          !wasCutShort(life, index, evidence)
        {
          findings.append(Finding(rule: .output, text: "life \(index + 1) does not say where it goes on"))
        }
      }
    }
    return findings
  }

  /// A real process may be killed before its first output.
  private func wasCutShort(_ life: Evidence.Life, _ index: Int, _ evidence: Evidence) -> Bool {
    !facts.isVirtual && index < evidence.lives.count - 1 && life.errors.isEmpty && life.output.isEmpty
  }

  private func notifications(_ device: String, _ handle: Int, _ evidence: Evidence, _ course: Course) -> [Expected] {
    var result: [Expected] = []
    var lifeOf: [Int] = []
    for line in course.lines where line.isAttribute && line.from == device && line.reachedHost {
      let message = AttributeMessage(bytes: line.bytes)
      guard message.isNotification, message.handle == handle else { continue }
      let life = course.kills.prefix { $0.time < line.time }.count
      let isAtKill = facts.isVirtual && course.kills.contains { $0.time == line.time }
      let isAtStop = evidence.stoppedAt.map { line.time >= $0 } ?? false
      result.append(Expected(value: message.value, isOptional: isAtKill || isAtStop, line: line.number))
      lifeOf.append(life)
    }
    if !facts.isVirtual {
      // Data in the socket when the process died is the last of its life.
      for life in 0...course.kills.count {
        if let last = lifeOf.lastIndex(of: life) {
          result[last].isOptional = true
          if last > 0, lifeOf[last - 1] == life { result[last - 1].isOptional = true }
        }
      }
    }
    return result
  }

  /// Numbers that a device counted and that never reached the host: allowed only without a link.
  private func judgeGaps(_ expected: [Expected], _ course: Course) -> [Finding] {
    guard let counter = facts.output.counter else { return [] }
    var findings: [Finding] = []
    for (first, second) in zip(expected, expected.dropFirst()) {
      let (before, after) = (counter(first.value), counter(second.value))
      if after <= before {
        findings.append(Finding(rule: .output, text: "the device's counter went from \(before) to \(after) (line \(second.line))"))
      } else if after > before + 1, !course.isBroken(between: first.line, and: second.line) {
        findings.append(
          Finding(rule: .output, text: "\(before + 1) to \(after - 1) are missing, and the link was there (line \(second.line))"))
      }
    }
    return findings
  }

  private func judgeFile(_ name: String, _ expected: [Expected], _ evidence: Evidence) -> ([Finding], [Int]?) {
    guard let text = evidence.files[name] else {
      return (expected.contains { !$0.isOptional } ? [Finding(rule: .output, text: "\(name) is not there")] : [], nil)
    }
    var findings: [Finding] = []
    if !text.isEmpty, !text.hasSuffix("\n") { findings.append(Finding(rule: .output, text: "the last row of \(name) is half")) }
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if rows.last == "" { rows.removeLast() }
    if let header = facts.output.header {
      if rows.first == header { rows.removeFirst() } else { findings.append(Finding(rule: .output, text: "\(name) has no header")) }
    }
    var contents: [String] = []
    for row in rows {
      if let content = facts.output.row(row) {
        contents.append(content)
      } else {
        findings.append(Finding(rule: .output, text: "\(name) has a row that is none: \(row)"))
      }
    }
    let wanted = expected.enumerated().map { (facts.output.rowOf($0.element.value, $0.offset), $0.element.isOptional) }
    switch Alignment(wanted).verdict([contents], mayRepeat: false) {
    case .right(let matched): return (findings, matched)
    case .wrong(let problem): return (findings + [Finding(rule: .output, text: "\(name): \(problem)")], nil)
    }
  }

  private func judgeLines(_ expected: [Expected], _ evidence: Evidence) -> [Finding] {
    var findings: [Finding] = []
    var lives: [[String]] = []
    var counted: [Int] = []
    for (index, life) in evidence.lives.enumerated() {
      if !life.output.isEmpty, !life.output.hasSuffix("\n") {
        findings.append(Finding(rule: .output, text: "the last line of life \(index + 1) is half"))
      }
      var contents: [String] = []
      var lines = life.output.split(separator: "\n", omittingEmptySubsequences: false)
      if lines.last == "" { lines.removeLast() }
      for line in lines {
        if let number = facts.output.count(String(line)) {
          counted.append(number)
        } else if let content = facts.output.line(String(line)) {
          contents.append(content)
        } else {
          findings.append(Finding(rule: .output, text: "stdout has a line that is none: \(line)"))
        }
      }
      lives.append(contents)
    }
    let wanted = expected.enumerated().map { (facts.output.lineOf($0.element.value, $0.offset), $0.element.isOptional) }
    if facts.output.printsLines, case .wrong(let problem) = Alignment(wanted).verdict(lives, mayRepeat: true) {
      findings.append(Finding(rule: .output, text: "stdout: \(problem)"))
    }
    let least = expected.count { !$0.isOptional }
    let most = expected.count
    if let number = counted.last, number < least || number > most {
      findings.append(
        Finding(
          rule: .ending, text: "the recipe counted \(number), but \(least == most ? "\(least)" : "\(least) to \(most)") reached it")
      )
    }
    return findings
  }
}
