import Exchange
import Glibc
import Host
import KeeperProcess
import Linux
import Vocabulary
@testable import Keeper

/// A stand-in for a keeper, which listens on its socket and answers as a test says.
final class FakeKeeper {
  private let listener: LocalListener

  init(_ adapter: String, in folder: String) throws {
    let place = KeeperPlace(adapter: adapter, folder: folder)
    try place.make()
    listener = try LocalListener(at: place.socket, mode: 0o600)
  }

  /// Answers until it has no answer left, the client disconnects, or the time is over.
  func serve(_ client: Tooth.Process, for span: TimeSpan = .seconds(120), _ answer: (KeeperMessage) -> KeeperMessage?) throws {
    var connections: [(stream: ByteStream, frames: MessageFrames)] = []
    let end = SystemClock.now().moment + span
    while !client.hasClosed, SystemClock.now().moment < end {
      let soon = SystemClock.now().moment + .milliseconds(20)
      _ = Poll.wait(
        for: [Poll.Interest(listener.descriptor)] + connections.map { Poll.Interest($0.stream.descriptor) }, until: soon)
      while case .stream(let stream) = listener.accept() { connections.append((stream, MessageFrames())) }
      for place in connections.indices {
        while let bytes = connections[place].stream.receive() { connections[place].frames.push(bytes) }
        while let message = try connections[place].frames.next() {
          guard let reply = answer(try KeeperMessage(encoded: message)) else { return }
          connections[place].stream.send(MessageFrames.framed(reply.encoded))
          connections[place].stream.flush()
        }
      }
      connections.removeAll { $0.stream.ending != nil }
    }
  }

  /// From now on connections are refused.
  func leave() {
    listener.remove()
    shutdown(listener.descriptor, Int32(SHUT_RDWR))
  }

  static func status(_ adapter: String, _ links: [LEHost.OpenLink]) -> KeeperStatus {
    KeeperStatus(
      revision: KeeperLimits.revision, version: "1", adapter: adapter, process: 1, since: SystemClock.now().wall, address: nil,
      info: nil,
      hold: .seconds(1), keep: .seconds(1), clients: [], links: links)
  }

  static func link(to peer: Address, since: Moment) -> LEHost.OpenLink {
    LEHost.OpenLink(
      peer: peer, info: LinkInfo(mtu: 23, interval: .milliseconds(50), latency: 0, supervisionTimeout: .seconds(5)), since: since,
      isEnding: true)
  }
}
