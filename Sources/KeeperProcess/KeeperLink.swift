package import Keeper
package import Linux
package import Vocabulary

/// The connection to a keeper's socket. Starts a keeper if there is none and one may be started.
package final class KeeperLink: KeeperPort {
  private var place: KeeperPlace
  /// The command line of a keeper for this adapter; `nil` if none may be started.
  private var starting: [String]?
  /// Returns another adapter and how to start its keeper.
  private let another: ((_ tried: [String]) -> (name: String, starting: [String]?)?)?
  private var tried: [String]
  private var stream: ByteStream?
  private var frames = MessageFrames()
  private var trouble: String?
  /// The stderr of the keeper that was started last, and what it printed.
  private var errors: Int32?
  private var received = ""

  /// - Parameter another: Returns the next adapter, if the user named none.
  package init(
    to place: KeeperPlace, starting: [String]?, another: ((_ tried: [String]) -> (name: String, starting: [String]?)?)? = nil
  ) {
    self.place = place
    self.starting = starting
    self.another = another
    tried = [place.name]
  }

  deinit { if let errors { CurrentProcess.closeDescriptor(errors) } }

  package func connect(at now: Instant) throws(KeeperUnreachable) {
    stream = nil
    trouble = nil
    frames = MessageFrames()
    do throws(KeeperUnreachable) {
      stream = try place.connect()
      if let errors { CurrentProcess.closeDescriptor(errors) }
      errors = nil
      return
    } catch { guard error.isAbsent, starting != nil else { throw error } }
    guard let starting else { return }
    if let errors {
      // A keeper is starting, unless it has ended.
      while let bytes = CurrentProcess.readAvailable(errors) {
        if bytes.isEmpty { throw KeeperUnreachable("the keeper is being started", isTemporary: true) }
        received += String(decoding: bytes, as: UTF8.self)
      }
      CurrentProcess.closeDescriptor(errors)
      self.errors = nil
      let lines = received.split(separator: "\n").map(String.init)
      received = ""
      // It found another keeper that was started at the same time.
      if lines.isEmpty { throw KeeperUnreachable("the keeper has ended", isTemporary: true) }
      throw Self.refusal(lines)
    }
    do throws(SystemFailure) {
      try place.make()
      received = ""
      errors = try CurrentProcess.startAnother(starting)
    } catch {
      throw KeeperUnreachable(
        "no keeper can be started: \(error)", hint: "use the adapter without a keeper, with --direct", isTemporary: false)
    }
    throw KeeperUnreachable("the keeper is being started", isTemporary: true)
  }

  /// Sends one message and returns the answer; `nil` if the keeper ends without one.
  package static func ask(_ message: KeeperMessage, _ place: KeeperPlace, patience: TimeSpan) throws(KeeperUnreachable)
    -> KeeperMessage?
  {
    let link = KeeperLink(to: place, starting: nil)
    let now = SystemClock.now()
    try link.connect(at: now)
    link.send(message.encoded, at: now)
    let limit = now.moment + patience
    while SystemClock.now().moment < limit {
      link.flush()
      for bytes in link.receive(at: now) {
        do throws(DecodeError) { return try KeeperMessage(encoded: bytes) } catch {
          throw KeeperUnreachable(
            "the keeper's answer cannot be read: \(error)", hint: "is it of another version?", isTemporary: false)
        }
      }
      if link.ending != nil { return nil }
      link.wait(until: limit)
    }
    throw KeeperUnreachable(
      "the keeper did not answer within \(patience)",
      hint: "is it stopped or very busy? If not, end its process; fuser \(place.socket) names it", isTemporary: false)
  }

  package func lastPackets() -> [KeptPacket] {
    guard case .kept(let packets)? = try? Self.ask(.packets, place, patience: .seconds(2)) else { return [] }
    return packets
  }

  /// The error that a keeper printed before it ended, in the words of a client.
  package static func refusal(_ lines: [String]) -> KeeperUnreachable {
    let error = "error: "
    // Lines before its error are only notes.
    let place = lines.firstIndex { $0.hasPrefix(error) } ?? 0
    let text = lines[place].hasPrefix(error) ? String(lines[place].dropFirst(error.count)) : lines[place]
    let hints = lines[(place + 1)...].map { line in
      let hint = line.drop { $0 == " " || $0 == "=" }
      return String(hint.hasPrefix("fix: ") ? hint.dropFirst(5) : hint)
    }
    return KeeperUnreachable(text, hint: hints.isEmpty ? nil : hints.joined(separator: "\n"), isTemporary: false, isAdapters: true)
  }

  package func turnToAnother() -> String? {
    guard let next = another?(tried) else { return nil }
    tried.append(next.name)
    place = KeeperPlace(adapter: next.name)
    starting = next.starting
    stream = nil
    if let errors { CurrentProcess.closeDescriptor(errors) }
    errors = nil
    received = ""
    return next.name
  }

  package func wait(until moment: Moment) { _ = Poll.wait(for: interest.map { [$0] } ?? [], until: moment) }

  package func send(_ message: [UInt8], at now: Instant) { stream?.send(MessageFrames.framed(message)) }

  /// The most messages to read at a time. Those that wait can still be sent to another process.
  private static let batch = 64

  package func receive(at now: Instant) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    do throws(MessageFrames.Garbled) {
      while messages.count < Self.batch {
        if let message = try frames.next() {
          messages.append(message)
        } else if let bytes = stream?.receive() {
          frames.push(bytes)
        } else {
          break
        }
      }
    } catch { trouble = "the keeper sent a message of \(error.length) octets, which is not valid" }
    return messages
  }

  package func flush() { stream?.flush() }
  package var nextMoment: Moment? { nil }

  package var interest: Poll.Interest? {
    guard let stream, ending == nil else { return nil }
    return Poll.Interest(stream.descriptor, writes: stream.hasPendingOutput)
  }

  package var ending: String? {
    if let trouble { return trouble }
    guard let stream else { return "the keeper is gone" }
    return stream.ending.map { "the keeper is gone (\($0))" }
  }
}
