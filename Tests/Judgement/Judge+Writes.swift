extension Judge {
  /// Rule 1.
  package func judgeWrites(_ evidence: Evidence, _ course: Course, reference: Course?) -> [Finding] {
    var findings: [Finding] = []
    for device in facts.devices {
      for write in device.writes {
        let reached = arrivals(of: write, at: device.address, course)
        let expected = reference.map { arrivals(of: write, at: device.address, $0) }
        for occasion in 0..<max(1, write.occasions.count) {
          let mine = reached.filter { $0.occasion == occasion }
          let name =
            "handle \(hex(write.handle)) of \(device.address)" + (write.occasions.isEmpty ? "" : ", occasion \(occasion + 1)")
          if mine.count > 1, write.policy != .repeat {
            findings.append(
              Finding(
                rule: .write,
                text: "\(name) was written \(mine.count) times (lines \(mine.map { "\($0.line)" }.joined(separator: ", ")))"))
          }
          if let value = write.value, let other = mine.first(where: { $0.value != value }) {
            findings.append(
              Finding(rule: .write, text: "\(name) was written \(hex(other.value)), not \(hex(value)) (line \(other.line))"))
          }
          guard mine.isEmpty, expected.map({ $0.contains { $0.occasion == occasion } }) ?? true else { continue }
          switch write.policy {
          case .skip: break
          case .repeat, .verify: findings.append(Finding(rule: .write, text: "\(name) was never written"))
          case .fail:
            if !isUnsure(write, device.address, evidence, course) {
              findings.append(Finding(rule: .write, text: "\(name) was never written, and nothing says unsure"))
            }
          }
        }
        if write.occasions.isEmpty == false, let early = reached.first(where: { $0.occasion < 0 }) {
          findings.append(
            Finding(rule: .write, text: "handle \(hex(write.handle)) was written before its time (line \(early.line))"))
        }
      }
    }
    return findings
  }

  private struct Arrival {
    var occasion: Int
    var value: [UInt8]
    var line: Int
  }

  /// Writes that reached the device: requests, commands, and executed prepared writes.
  private func arrivals(of write: Facts.Write, at device: String, _ course: Course) -> [Arrival] {
    var result: [Arrival] = []
    var prepared: [Int: [UInt8]] = [:]
    for line in course.lines where line.isAttribute && line.to == device && line.delivered == true {
      let message = AttributeMessage(bytes: line.bytes)
      var value: [UInt8]?
      switch message.opcode {
      case 0x12, 0x52: if message.handle == write.handle { value = message.value }
      case 0x16: if message.handle == write.handle, let link = line.link { prepared[link, default: []] += message.value }
      case 0x18:
        if let link = line.link, let whole = prepared.removeValue(forKey: link), message.bytes.last == 1 { value = whole }
      default: break
      }
      guard let value else { continue }
      let occasion = write.occasions.isEmpty ? 0 : (write.occasions.lastIndex { $0 <= line.time } ?? -1)
      result.append(Arrival(occasion: occasion, value: value, line: line.number))
    }
    return result
  }

  package func isUnsure(_ write: Facts.Write, _ device: String, _ evidence: Evidence, _ course: Course) -> Bool {
    write.unsure.contains { sign in
      switch sign {
      case .exitCode(let code): evidence.exitCode == code
      case .standardError(let text): evidence.lives.contains { $0.errors.contains(text) }
      case .read(let handle):
        course.exchanges.contains { exchange in
          guard exchange.device == device, let answer = exchange.answer, !answer.isError else { return false }
          if exchange.request.opcode == 0x0A { return exchange.request.handle == handle }
          // By UUID: the answer contains the handle.
          return exchange.request.opcode == 0x08 && answer.word(2) == handle
        }
      }
    }
  }

  package func hex(_ handle: Int) -> String {
    let digits = String(handle, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  package func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
