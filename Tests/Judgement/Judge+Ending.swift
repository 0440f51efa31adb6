extension Judge {
  /// Rule 3.
  package func judgeEnding(_ evidence: Evidence, _ course: Course, _ reference: Evidence, _ referenceCourse: Course) -> [Finding] {
    var findings: [Finding] = []
    if evidence.exitCode != reference.exitCode {
      let isExcused =
        evidence.exitCode == facts.output.unsureExitCode
        || facts.devices.contains { device in
          device.writes.contains { $0.unsure.contains(.exitCode(evidence.exitCode)) }
        }
      let isUnsure = facts.devices.contains { device in
        device.writes.contains { $0.policy == .fail && self.isUnsure($0, device.address, evidence, course) }
      }
      if !(isExcused && isUnsure) {
        findings.append(Finding(rule: .ending, text: "exit code \(evidence.exitCode), uninterrupted \(reference.exitCode)"))
      }
    }
    for device in facts.devices {
      for handle in device.subscriptions {
        let (mine, theirs) = (
          lastSubscription(handle, device.address, course), lastSubscription(handle, device.address, referenceCourse)
        )
        if mine != theirs {
          findings.append(
            Finding(
              rule: .ending,
              text:
                "CCC \(self.hex(handle)) of \(device.address) is \(mine.map(hex) ?? "not written") at the end, uninterrupted \(theirs.map(hex) ?? "not written")"
            ))
        }
      }
    }
    return findings
  }

  /// The last confirmed write to a CCC on the last link with requests: it is lost with its link.
  private func lastSubscription(_ handle: Int, _ device: String, _ course: Course) -> [UInt8]? {
    guard let link = course.exchanges.last(where: { $0.device == device })?.link else { return nil }
    return course.exchanges.last {
      $0.device == device && $0.link == link && $0.request.opcode == 0x12 && $0.request.handle == handle
        && $0.answer?.opcode == 0x13
    }?.request.value
  }
}
