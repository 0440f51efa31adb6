import Glibc
package import Vocabulary

/// What the service manager is about to do with this process's unit: so SIGTERM as the first half
/// of a restart is told from a stop.
package enum ServiceJob: Equatable, Sendable {
  /// Another process of the same unit starts as soon as this one has ended.
  case restart
  /// Something else, as `stop`; or nothing, when somebody has just sent a signal.
  case other(String)
  /// The manager did not say.
  case unknown(String)

  private static let name = "org.freedesktop.systemd1"
  /// A file in the unit's runtime directory by which its `ExecStop=` says that this is a restart: a
  /// user that the bus does not know, as a dynamic one without nss-systemd, is not let in there.
  package static let mark = "restart"

  /// The command of that `ExecStop=`, which runs with all rights.
  package static let marking =
    "+-/bin/sh -c 'if systemctl list-jobs --plain --no-legend \"%n\" | grep -q \" restart \"; then : >\"$$RUNTIME_DIRECTORY/\(mark)\"; fi'"

  /// Why it is not known.
  package var doubt: String? {
    if case .unknown(let why) = self {
      return "the service manager does not say whether this is a restart (\(why)): its links are closed"
    }
    return nil
  }

  /// Whether another process of this unit follows. Where that is not known, why not is told.
  package static func isRestart(doubting tell: (String) -> Void) -> Bool {
    let job = current()
    if let doubt = job.doubt { tell(doubt) }
    return job == .restart
  }

  /// Asks, and waits for the answer that long at most: a stop must not be held up by a manager that
  /// is busy.
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

  /// The manager itself where it lets us in, else the bus.
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

  /// The unit that a process belongs to, out of /proc/PID/cgroup, and whether a manager of a user
  /// has it.
  package static func unit(inControlGroups text: String) -> (name: String, isUser: Bool)? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1] == "name=systemd" else { continue }
      let groups = fields[2].split(separator: "/")
      guard let place = groups.lastIndex(where: { $0.hasSuffix(".service") }) else { continue }
      let isUser = groups[..<place].contains { $0.hasPrefix("user@") }
      if groups[place].hasPrefix("user@") { continue }
      // A name that could be mistaken for a file of the kernel's has this in front of it.
      return (String(groups[place].hasPrefix("_") ? groups[place].dropFirst() : groups[place]), isUser)
    }
    return nil
  }

  /// A name as an element of an object's path: what is no letter or digit is written in hex.
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

  /// A connection to a bus, or to one peer that speaks as a bus does, for a few questions.
  private struct Bus {
    private let stream: ByteStream
    private let limit: Moment
    private var bytes: [UInt8] = []
    private var serial: UInt32 = 0

    init(_ path: String, isBus: Bool, until limit: Moment) throws(Trouble) {
      self.limit = limit
      do throws(SystemFailure) { stream = try ByteStream(connectingTo: path) } catch { throw Trouble("\(error)") }
      // Who we are, in hexadecimal digits of decimal digits (D-Bus Specification, "Authentication
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
        case .garbled: throw Trouble("an answer of the bus cannot be read")
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
        _ = Poll.wait(for: [Poll.Interest(stream.descriptor, writes: stream.wantsToWrite)], until: limit)
      }
    }
  }
}
