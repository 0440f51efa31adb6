import Glibc
package import Vocabulary

/// What the service manager is doing with this process's unit. It distinguishes the SIGTERM of a
/// restart from that of a stop.
package enum ServiceJob: Equatable, Sendable {
  /// Another process of the same unit starts when this one has ended.
  case restart
  /// Another job, such as `stop`, or none if the signal did not come from the manager.
  case other(String)
  /// The manager did not answer, for this reason.
  case unknown(String)

  private static let name = "org.freedesktop.systemd1"
  /// A file in the unit's runtime directory with which `ExecStop=` marks a restart. A user unknown
  /// to the bus, such as a dynamic one without nss-systemd, cannot ask the manager.
  package static let mark = "restart"

  /// The command for that `ExecStop=`, which runs with full privileges.
  package static let marking =
    "+-/bin/sh -c 'if systemctl list-jobs --plain --no-legend \"%n\" | grep -q \" restart \"; then : >\"$$RUNTIME_DIRECTORY/\(mark)\"; fi'"

  /// Why the job is unknown.
  package var doubt: String? {
    if case .unknown(let why) = self {
      return "the service manager does not say whether this is a restart (\(why)): its links are closed"
    }
    return nil
  }

  /// Whether another process of this unit follows. Reports the reason if that is unknown.
  package static func isRestart(doubting report: (String) -> Void) -> Bool {
    let job = current()
    if let doubt = job.doubt { report(doubt) }
    return job == .restart
  }

  /// Asks the manager, with a time limit, so that a busy manager does not delay a stop.
  package static func current(
    environment: (String) -> String? = environment, within patience: TimeSpan = .seconds(1),
    controlGroups: String = "/proc/self/cgroup"
  ) -> ServiceJob {
    guard environment("NOTIFY_SOCKET") != nil || environment("INVOCATION_ID") != nil else { return .other("none") }
    if let folder = environment("RUNTIME_DIRECTORY")?.split(separator: ":").first, access("\(folder)/\(mark)", F_OK) == 0 {
      return .restart
    }
    guard let text = try? readFile(controlGroups, limit: 1 << 16),
      let (unit, isUser) = unit(inControlGroups: String(decoding: text, as: UTF8.self))
    else { return .unknown("this process is in no unit") }
    let limit = SystemClock.now().moment + patience
    var why = "there is no bus"
    for (socket, isBus) in sockets(isUser: isUser, environment: environment) where access(socket, R_OK | W_OK) == 0 {
      do throws(Trouble) {
        var bus = try Bus(socket, isBus: isBus, until: limit)
        return try job(of: unit, over: &bus)
      } catch { why = error.why }
      if SystemClock.now().moment >= limit { break }
    }
    return .unknown(why)
  }

  /// The manager's own socket if it is accessible, else the bus.
  private static func sockets(isUser: Bool, environment: (String) -> String?) -> [(path: String, isBus: Bool)] {
    guard isUser else { return [("/run/systemd/private", false), ("/run/dbus/system_bus_socket", true)] }
    guard let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return [] }
    return [("\(folder)/systemd/private", false), ("\(folder)/bus", true)]
  }

  private static func job(of unit: String, over bus: inout Bus) throws(Trouble) -> ServiceJob {
    let properties = "org.freedesktop.DBus.Properties"
    let about = try bus.ask(
      "Get", of: properties, at: "/org/freedesktop/systemd1/unit/\(escaped(unit))", by: name, ["\(name).Unit", "Job"])
    guard let job = about.pair else { throw Trouble("the manager did not say which job it has") }
    guard job.number != 0 else { return .other("none") }
    let type = try bus.ask("Get", of: properties, at: job.path, by: name, ["\(name).Job", "JobType"])
    guard let text = type.text else { throw Trouble("the manager did not say what job it has") }
    return text == "restart" ? .restart : .other(text)
  }

  /// Returns the unit of a process from /proc/PID/cgroup, and whether a user's manager runs it.
  package static func unit(inControlGroups text: String) -> (name: String, isUser: Bool)? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1] == "name=systemd" else { continue }
      let groups = fields[2].split(separator: "/")
      guard let place = groups.lastIndex(where: { $0.hasSuffix(".service") }) else { continue }
      let isUser = groups[..<place].contains { $0.hasPrefix("user@") }
      if groups[place].hasPrefix("user@") { continue }
      // systemd puts `_` before a name that could be mistaken for a file of the kernel.
      return (String(groups[place].hasPrefix("_") ? groups[place].dropFirst() : groups[place]), isUser)
    }
    return nil
  }

  /// Escapes a name for an object path: characters other than letters and digits in hex.
  package static func escaped(_ name: String) -> String {
    var escaped = ""
    for (index, byte) in name.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "0")...UInt8(ascii: "9") where index > 0: escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16)
        escaped += "_" + (hex.utf8.count == 1 ? "0" + hex : hex)
      }
    }
    return escaped
  }
}

extension ServiceJob {
  private struct Trouble: Error {
    let why: String

    init(_ why: String) { self.why = why }
  }

  /// A connection to a bus, or to a peer that uses the bus protocol.
  private struct Bus {
    private let stream: ByteStream
    private let limit: Moment
    private var bytes: [UInt8] = []
    private var serial: UInt32 = 0

    init(_ path: String, isBus: Bool, until limit: Moment) throws(Trouble) {
      self.limit = limit
      do throws(SystemFailure) { stream = try ByteStream(connectingTo: path) } catch { throw Trouble("\(error)") }
      // The user id in decimal digits, encoded in hex (D-Bus Specification, "Authentication
      // Protocol").
      stream.send([0] + Array("AUTH EXTERNAL \(Hex.text("\(getuid())".utf8, separator: ""))\r\n".utf8))
      let answer = try line()
      guard answer.hasPrefix("OK ") else { throw Trouble("the bus answered \(answer)") }
      stream.send(Array("BEGIN\r\n".utf8))
      if isBus {
        let bus = "org.freedesktop.DBus"
        _ = try ask("Hello", of: bus, at: "/org/freedesktop/DBus", by: bus)
      }
    }

    mutating func ask(
      _ member: String, of interface: String, at path: String, by destination: String, _ arguments: [String] = []
    ) throws(Trouble) -> BusMessage {
      serial += 1
      stream.send(BusMessage.call(member, of: interface, at: path, by: destination, arguments, serial: serial))
      while true {
        switch BusMessage.read(bytes) {
        case .malformed: throw Trouble("an answer of the bus cannot be read")
        case .incomplete: try more()
        case .message(let message, let length):
          bytes.removeFirst(length)
          guard message.answers == serial else { continue }
          switch message.kind {
          case .answer: return message
          case .failure: throw Trouble("the manager refused \(member) at \(path)")
          case .call, .signal: continue
          }
        }
      }
    }

    private mutating func line() throws(Trouble) -> String {
      while true {
        if let end = bytes.firstIndex(of: 0x0A) {
          let line = String(decoding: bytes[..<end].filter { $0 != 0x0D }, as: UTF8.self)
          bytes.removeFirst(end + 1)
          return line
        }
        guard bytes.count < BusMessage.limit else { throw Trouble("the bus answered with a line without end") }
        try more()
      }
    }

    private mutating func more() throws(Trouble) {
      while true {
        stream.flush()
        if let block = stream.receive() {
          bytes += block
          return
        }
        if stream.ending != nil { throw Trouble("the bus closed the connection") }
        guard SystemClock.now().moment < limit else { throw Trouble("the manager did not answer in time") }
        _ = Poll.wait(for: [Poll.Interest(stream.descriptor, writes: stream.hasPendingOutput)], until: limit)
      }
    }
  }
}
