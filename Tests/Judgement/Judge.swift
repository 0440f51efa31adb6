/// Judges a run that was killed, perhaps often, by external evidence: the air's log, its files, its
/// output. It knows nothing of a run's internals and imports nothing.
package struct Judge {
  package let facts: Facts

  package init(facts: Facts) { self.facts = facts }

  /// The violations of a run, compared with the uninterrupted one. Empty if there are none.
  package func findings(_ evidence: Evidence, uninterrupted reference: Evidence? = nil) -> [Finding] {
    let course = Course(log: evidence.log, facts: facts)
    var findings = course.findings
    // A real process may die before it reaches the air.
    let isUnheard = !facts.isVirtual && evidence.lives.count > course.kills.count
    if evidence.lives.count != course.kills.count + 1, !isUnheard {
      findings.append(Finding(rule: .log, text: "\(evidence.lives.count) lives, but \(course.kills.count) kills in the log"))
    }
    let referenceCourse = reference.map { Course(log: $0.log, facts: facts) }
    findings += judgeWrites(evidence, course, reference: referenceCourse)
    findings += judgeOutput(evidence, course)
    if let reference, let referenceCourse {
      findings += judgeEnding(evidence, course, reference, referenceCourse)
    }
    findings += judgeDiscovery(course)
    return findings
  }
}
