/// The structured log: the devices, the kills of the process, the requests and their answers.
package struct Course {
  /// A request of the host with its answer.
  package struct Exchange {
    package var device: String
    package var link: Int
    /// The life of the process that sent the request.
    package var life: Int
    package var request: AttributeMessage
    package var line: AirLine
    package var answer: AttributeMessage?
    package var answerLine: AirLine?
    /// The process is known to have handled the answer.
    package var isProcessed = false
  }

  package struct Kill {
    package var index: Int
    package var time: Int64
  }

  package private(set) var lines: [AirLine] = []
  package private(set) var kills: [Kill] = []
  package private(set) var exchanges: [Exchange] = []
  package private(set) var findings: [Finding] = []
  package let devices: Set<String>

  package init(log: [String], facts: Facts) {
    devices = Set(facts.devices.map(\.address))
    var last = Int64.min
    for (index, text) in log.enumerated() where !text.isEmpty {
      guard let line = AirLine(text, number: index + 1) else {
        findings.append(Finding(rule: .log, text: "line \(index + 1) cannot be read: \(text)"))
        continue
      }
      if line.time < last { findings.append(Finding(rule: .log, text: "line \(index + 1) is out of order")) }
      last = line.time
      if line.kind == "violation" {
        findings.append(Finding(rule: .log, text: "line \(index + 1): \(line.from ?? "?"): \(line.note ?? "violation")"))
      }
      lines.append(line)
    }
    findKills()
    findExchanges(isVirtual: facts.isVirtual)
  }

  /// A host left and returned, which only a kill causes here.
  private mutating func findKills() {
    for (index, line) in lines.enumerated() where line.kind == "host_gone" {
      guard let host = line.from, !devices.contains(host) else { continue }
      if lines[(index + 1)...].contains(where: { $0.kind == "reset" && $0.from == host }) {
        kills.append(Kill(index: index, time: line.time))
      }
    }
  }

  /// The life of the process that sent a line: a packet sent before a kill may cross after it.
  package func life(of line: AirLine) -> Int {
    let time = line.sent ?? line.time
    return kills.prefix { $0.time < time }.count
  }

  private mutating func findExchanges(isVirtual: Bool) {
    var open: [Int: Int] = [:]
    for line in lines where line.isAttribute {
      guard let link = line.link, let from = line.from, let to = line.to else { continue }
      let message = AttributeMessage(bytes: line.bytes)
      if devices.contains(to), !devices.contains(from), message.isRequest {
        if let earlier = open[link], exchanges[earlier].answer == nil, exchanges[earlier].life == life(of: line),
          line.delivered == true
        {
          findings.append(
            Finding(
              rule: .log, text: "line \(line.number): a request while line \(exchanges[earlier].line.number)'s is not answered"))
        }
        open[link] = exchanges.count
        exchanges.append(Exchange(device: to, link: link, life: life(of: line), request: message, line: line))
      } else if devices.contains(from), !devices.contains(to), let index = open[link], exchanges[index].answer == nil,
        message.answers(exchanges[index].request), line.reachedHost
      {
        exchanges[index].answer = message
        exchanges[index].answerLine = line
      }
    }
    for index in exchanges.indices {
      guard let answer = exchanges[index].answerLine else { continue }
      let next = exchanges[(index + 1)...].first { $0.link == exchanges[index].link }
      if let next, (next.line.sent ?? next.line.time) >= answer.time {
        exchanges[index].isProcessed = true
      } else if isVirtual {
        // A dead process receives nothing; a living one receives at once.
        let end = exchanges[index].life < kills.count ? kills[exchanges[index].life].time : Int64.max
        exchanges[index].isProcessed = answer.time < end
      }
    }
  }

  /// Whether a link of the host ended or was made again between two lines.
  package func isBroken(between first: Int, and second: Int) -> Bool {
    lines.contains { line in
      guard line.number > first, line.number < second else { return false }
      switch line.kind {
      case "host_gone", "reset": return line.from.map { !devices.contains($0) } ?? false
      case "established": return true
      default: return AirLine.endings.contains(line.kind)
      }
    }
  }
}
