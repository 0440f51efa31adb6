extension Judge {
  /// Rule 4, for every device and every kill.
  package func judgeDiscovery(_ course: Course) -> [Finding] {
    var findings: [Finding] = []
    for device in facts.devices {
      for kill in course.kills.indices {
        findings += judgeDiscovery(of: device, after: kill, course)
      }
    }
    return findings
  }

  private struct Known {
    var kind: DiscoveryRequest.Kind
    var range: ClosedRange<Int>
  }

  private func judgeDiscovery(of device: Facts.Device, after kill: Int, _ course: Course) -> [Finding] {
    let before = course.exchanges.filter { $0.device == device.address && $0.life <= kill && $0.isProcessed }
    let after = course.exchanges.filter { $0.device == device.address && $0.life == kill + 1 }
    var known: [Known] = []
    var lastAnswered: AttributeMessage?
    for exchange in before {
      guard let request = DiscoveryRequest(exchange.request), let answer = exchange.answer, let end = request.covered(by: answer)
      else { continue }
      if end >= request.start { known.append(Known(kind: request.kind, range: request.start...end)) }
      lastAnswered = exchange.request
    }
    guard let lastAnswered else { return [] }
    let knowsHash = before.contains { $0.request.asksForHash && $0.answer?.opcode == 0x09 }

    var findings: [Finding] = []
    var repeated: [AirLine] = []
    var isFirst = true
    for (index, exchange) in after.enumerated() {
      guard let request = DiscoveryRequest(exchange.request) else { continue }
      if isCheckBeforeWrite(request, after[(index + 1)...], link: exchange.link) { continue }
      let isRepeated = known.contains { $0.kind == request.kind && $0.range.contains(request.start) }
      // The probe is the last answered request; it may itself have been the first of all.
      let isProbe = !knowsHash && exchange.request == lastAnswered
      let isNewQuestion = request.kind.opcode == 0x06 && !known.contains { $0.kind == request.kind }
      if isFirst, request.start <= 1, !isProbe, !isNewQuestion {
        findings.append(
          Finding(rule: .discovery, text: "after kill \(kill + 1) discovery starts over (line \(exchange.line.number))"))
      }
      if isRepeated { repeated.append(exchange.line) }
      isFirst = false
    }
    // One probe per link: a link that was lost again is another reason to check.
    let links = Set(repeated.compactMap(\.link)).count
    let allowed = knowsHash ? 0 : max(1, links)
    if repeated.count > allowed {
      let lines = repeated.map { "\($0.number)" }.joined(separator: ", ")
      findings.append(
        Finding(
          rule: .discovery,
          text: "after kill \(kill + 1) \(repeated.count) answered requests are sent again, \(allowed) may be (lines \(lines))"))
    }
    return findings
  }

  /// A declaration that is read once more before its value, or a descriptor of it, is written.
  private func isCheckBeforeWrite(_ request: DiscoveryRequest, _ following: ArraySlice<Course.Exchange>, link: Int) -> Bool {
    guard request.isDeclarationCheck else { return false }
    let next = following.first { $0.link == link && !$0.request.asksForHash }
    guard let next, let handle = next.request.handle, next.request.opcode == 0x12 || next.request.opcode == 0x16 else {
      return false
    }
    return handle > request.start
  }
}
