import Runner
import Session
import Testing
import Vocabulary

/// Runs that end, wait and fail as users will see it.
@Suite struct RunUseTests {
  /// Its third and fourth links (the second and third connection) end before they are set up;
  /// 0xFFF3 takes it off the air for some seconds.
  static let device = """
    peripheral thing named "Thing"
      let links = 0
      let short = false
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify starts as "hello"
        characteristic 0xFFF2 can read, write starts as u8(0)
        characteristic 0xFFF3 can write
        characteristic 0xFFF4 can write
        characteristic 0xFFF5 can read
      end
      on connect
        set links to links + 1
        if short and links < 4
          wait 20ms
          disconnect
        end
      end
      on write 0xFFF3 as v
        stop advertising
        disconnect
        wait v.u8(0) * 1s
        advertise 0xFFF0 every 100ms
      end
      on write 0xFFF4: set short to true
      on read 0xFFF5
        wait 3s
        answer u8(5)
      end
      every 1s: notify 0xFFF1 with u8(links)
    end

    """

  private func run(_ recipe: String, for span: TimeSpan = .minutes(10)) throws -> (
    outcome: RunLoop.Outcome, output: String, errors: String, code: Int32?
  ) {
    let fixture = try Fixture(recipe: recipe + "\n", devices: Self.device)
    try fixture.start()
    let outcome = fixture.world.run(for: span)
    return (outcome, fixture.output, fixture.errors, fixture.world.session?.exitStatus.code)
  }

  @Test func onStopMayWaitThoughOthersAreReady() throws {
    let told = try run(
      """
      let n = 0
      every 1s: print "tick"
      on stop as why
        print "stop {why}"
        wait 10s
        print "never"
      end
      after 2s
        repeat 3 times
          print "more"
        end
      end
      wait 2s
      """)
    #expect(told.outcome == .ended)
    // The rest of `on stop` was cut off, and this is reported.
    #expect(told.code == 1)
    #expect(told.output.hasSuffix("stop finished\n"), "\(told.output)")
  }

  @Test func unestablishedLinksAreNotReportedAsLost() throws {
    let told = try run(
      """
      let told = []
      scan for 0xFFF0
      connect when it appears
      subscribe to 0xFFF1
      on connect: set told to told + ["up"]
      on disconnect: set told to told + ["down"]
      write hex "01" to 0xFFF4
      write hex "01" to 0xFFF3 when unsure skip
      wait 1min
      print told.reverse()
      """)
    #expect(told.output == "[\"up\",\"down\",\"up\"]\n", "\(told.errors)")
  }

  @Test func connectWhenItAppearsIgnoresAnEarlierLimit() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      write u8(200) to 0xFFF3 when unsure skip
      reconnect 2 times waiting 1s up to 2s otherwise print it.kind
      connect when it appears within 5s otherwise print it.kind
      connect when it appears
      print device.connected
      """)
    #expect(told.output == "unreachable\nunreachable\ntrue\n", "\(told.errors)")
    #expect(told.code == 0)
  }

  @Test func notesOfTheHostAreReportedOnce() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      read 0xFFF5 within 1s otherwise print it.kind
      wait 5s
      """)
    #expect(told.output == "timeout\n")
    #expect(told.errors.split(separator: "\n").count == 1, "\(told.errors)")
  }

  @Test(arguments: [
    ("let t = \"a\"\nrepeat 40 times: set t to t + t", "16 MiB"),
    ("let t = \"a\"\nrepeat 40 times: set t to \"{t}{t}\"", "16 MiB"),
    ("let t = hex \"00\"\nrepeat 40 times: set t to t + t", "16 MiB"),
    ("let t = [1]\nrepeat 40 times: set t to t + t", "1,048,576 elements"),
    ("let t = \"aa\"\nrepeat 40 times: set t to t.replace(\"a\", t)", "16 MiB"),
  ])
  func valuesThatGrowWithoutEndFail(_ recipe: String, _ limit: String) throws {
    let told = try run(recipe + "\nprint count(t)")
    #expect(told.code == 1)
    #expect(told.errors.contains("this value would have more than \(limit)"), "\(told.errors)")
  }

  @Test func aLoopThatNeverWaitsIsShown() throws {
    let told = try run("let i = 0\nrepeat 2000000 times\n  set i to i + 1\nend\nprint i")
    #expect(told.code == 1)
    #expect(told.errors.contains("test.ble:2:1"), "\(told.errors)")
  }

  @Test func operationsWaitForADeviceOrFailUnreachable() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect when it appears
      write u8(8) to 0xFFF3 when unsure skip
      read raw 0xFFF2 within 2s otherwise print it.kind
      read raw 0xFFF2 within 20s as v
      print v
      disconnect
      read raw 0xFFF2 otherwise print it.kind
      """)
    #expect(told.output == "unreachable\n00\ndisconnected\n", "\(told.errors)")
  }
}
