import Glibc
import Linux
import Testing
import Vocabulary

/// The pending job of a unit, read from the service manager over D-Bus. The bytes of the answers
/// are those of a real systemd 252.
@Suite struct ServiceJobTests {
  /// `Get` of a unit's job: a variant of number and path.
  static let answer: [UInt8] =
    Array("l".utf8) + [2, 1, 1, 0x12, 0, 0, 0, 0x60, 0, 0, 0, 0x2D, 0, 0, 0] + [5, 1] + Array("u".utf8) + [0, 2, 0, 0, 0]
    + [6, 1] + Array("s".utf8) + [0, 4, 0, 0, 0] + Array(":1.4".utf8) + [0, 0, 0, 0]
    + [8, 1] + Array("g".utf8) + [0, 1] + Array("v".utf8) + [0, 0, 7, 1] + Array("s".utf8) + [0, 4, 0, 0, 0] + Array(":1.2".utf8)
    + [0, 0, 0, 0] + [4] + Array("(uo)".utf8) + [0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0] + Array("/".utf8) + [0]

  @Test func anAnswerIsRead() throws {
    guard case .message(let message, let length) = BusMessage.read(Self.answer + [1, 2, 3]) else {
      Issue.record("\(BusMessage.read(Self.answer))")
      return
    }
    #expect(length == Self.answer.count)
    #expect(message.kind == .answer)
    #expect(message.answers == 2)
    #expect(message.pair?.number == 0)
    #expect(message.pair?.path == "/")
    #expect(message.text == nil)
  }

  @Test func aTruncatedAnswerIsIncomplete() {
    for count in 0..<Self.answer.count { #expect(BusMessage.read(Array(Self.answer[..<count])) == .incomplete, "\(count)") }
  }

  /// Whatever a byte says, nothing is read beyond the end.
  @Test func noOctetCausesAReadBeyondTheEnd() {
    for place in Self.answer.indices {
      for value in [UInt8](arrayLiteral: 0, 1, 7, 0x7F, 0x80, 0xFF) {
        var bytes = Self.answer
        bytes[place] = value
        if case .message(let message, let length) = BusMessage.read(bytes) {
          #expect(length <= bytes.count)
          _ = (message.pair, message.text)
        }
      }
    }
  }

  @Test func callsAreMessages() {
    let bytes = BusMessage.call("Get", of: "a.b", at: "/c", by: "d.e", ["f", "ghi"], serial: 7)
    guard case .message(let message, let length) = BusMessage.read(bytes) else {
      Issue.record("\(bytes)")
      return
    }
    #expect(length == bytes.count)
    #expect(message.kind == .call)
    #expect(message.body == [1, 0, 0, 0, 0x66, 0, 0, 0, 3, 0, 0, 0, 0x67, 0x68, 0x69, 0])
  }

  @Test func theUnitOfAProcess() throws {
    let system = "1:cpu:/\n0::/system.slice/system-tooth.slice/tooth@heart-rate.service\n"
    #expect(try #require(ServiceJob.unit(inControlGroups: system)) == ("tooth@heart-rate.service", false))
    let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/tooth-beats.service\n"
    #expect(try #require(ServiceJob.unit(inControlGroups: user)) == ("tooth-beats.service", true))
    // A user's terminal belongs to no service.
    #expect(ServiceJob.unit(inControlGroups: "0::/user.slice/user-1000.slice/session-3.scope\n") == nil)
    #expect(
      ServiceJob.unit(inControlGroups: "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte.scope\n") == nil)
    #expect(ServiceJob.unit(inControlGroups: "") == nil)
    #expect(ServiceJob.escaped("tooth@a-1.service") == "tooth_40a_2d1_2eservice")
    #expect(ServiceJob.escaped("9") == "_39")
  }

  @Test func withoutAnAnswerAStartIsNotARestart() {
    #expect(ServiceJob.current(environment: { _ in nil }) == .other("none"))
    let job = ServiceJob.current(environment: { $0 == "INVOCATION_ID" ? "1" : nil }, controlGroups: "/dev/null")
    #expect(job == .unknown("this process is in no unit"))
    #expect(job.doubt != nil)
  }

  @Test func aMarkOfTheUnitMeansARestart() throws {
    let scratch = LinuxScratch()
    let variables = ["NOTIFY_SOCKET": "/none", "RUNTIME_DIRECTORY": "\(scratch.path):/other"]
    #expect(ServiceJob.current(environment: { variables[$0] }, controlGroups: "/dev/null") != .restart)
    try saveFile("\(scratch.path)/\(ServiceJob.mark)", [])
    #expect(ServiceJob.current(environment: { variables[$0] }, controlGroups: "/dev/null") == .restart)
  }
}
