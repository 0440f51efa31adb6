import Runner
import Testing
import Vocabulary

/// Peripherals and recipes under the virtual clock, as a user would see them.
@Suite struct PeripheralUseTests {
  static let device = """
    peripheral thing named "Thing"
      let n = 0
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify starts as "hello"
        characteristic 0xFFF2 can write, indicate
        characteristic 0xFFF3 can read, write starts as ""
        characteristic 0xFFF4 can read
        characteristic 0xFFF6 can read, write starts as u8(0)
        characteristic 0xFFF7 can write
        characteristic battery_level can read, write starts as 50
      end
      on write 0xFFF2 as v
        indicate 0xFFF2 with v + hex "01"
        indicate 0xFFF2 with v + hex "02"
        indicate 0xFFF2 with v + hex "03"
      end
      on read 0xFFF4
        set n to n + 1
        if n is 2: refuse with 0x85
        answer u8(n)
      end
      on write 0xFFF6 as v
        set device.count to (0 if device.count is nothing else device.count) + 1
        update 0xFFF6 to u8(device.count)
        if v[0] is 9: refuse with 0x81
        expect v[0] is not 8, "no eights"
      end
      on write 0xFFF7: disconnect
      on write battery_level as v: set n to v
    end

    """

  private func run(_ recipe: String, for span: TimeSpan = .minutes(5)) throws -> (output: String, errors: String, code: Int32?) {
    let fixture = try Fixture(recipe: recipe + "\n", devices: Self.device)
    try fixture.start()
    _ = fixture.world.run(for: span)
    return (fixture.output, fixture.errors, fixture.world.session?.exitStatus.code)
  }

  @Test func everyIndicationIsConfirmed() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      subscribe to 0xFFF2
      write hex "07" to 0xFFF2 within 5s
      wait for notify 0xFFF2 within 1s as a
      wait for notify 0xFFF2 within 1s as b
      wait for notify 0xFFF2 within 1s as c
      print "{a} {b} {c}"
      """)
    #expect(told.output == "0701 0702 0703\n", "\(told.errors)")
    #expect(told.code == 0)
  }

  @Test func longValuesGoBothWays() throws {
    let told = try run(
      """
      let text = "a"
      repeat 9 times: set text to text + text
      scan for 0xFFF0
      connect
      write text[0 .. 300] to 0xFFF3
      read raw 0xFFF3 as short
      write text to 0xFFF3
      read raw 0xFFF3 as long
      print "{count(short)} {count(long)} {long.text() is text}"
      write text + "a" to 0xFFF3 otherwise print it.kind
      """)
    #expect(told.output == "300 512 true\nvalue\n", "\(told.errors)")
  }

  @Test func aWriteHandlerAlwaysAnswers() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      write u8(9) to 0xFFF6 otherwise print "{it.kind} {it.code}"
      read raw 0xFFF6 as a
      write u8(8) to 0xFFF6 otherwise print "{it.kind} {it.code}"
      read raw 0xFFF6 as b
      write hex "" to battery_level otherwise print "{it.kind} {it.code}"
      write 32 to battery_level
      read battery_level as c
      print "{a} {b} {c}"
      """)
    #expect(told.output == "refused 129\nrefused 14\nrefused 19\n01 02 32\n", "\(told.errors)")
  }

  @Test func aReadHandlerAnswersOrRefuses() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      repeat 3 times
        read raw 0xFFF4 as v otherwise let v = it.code
        print v
      end
      """)
    #expect(told.output == "01\n133\n03\n", "\(told.errors)")
  }

  @Test func aPeripheralMayEndALinkAndGoOn() throws {
    let told = try run(
      """
      scan for 0xFFF0
      connect
      on disconnect as why: print why
      repeat 3 times
        write hex "01" to 0xFFF7 when unsure skip otherwise print it.kind
        connect
      end
      """)
    #expect(told.output == "closed by the peer\nclosed by the peer\nclosed by the peer\n", "\(told.errors)")
    #expect(told.code == 0)
  }

  @Test func anUnwritableFileStopsOnlyItsHandler() throws {
    let told = try run(
      """
      let ticks = 0
      every 1s
        set ticks to ticks + 1
        append "x" to "/nonexistent/folder/file"
      end
      wait 3500ms
      print ticks
      """)
    #expect(told.output == "3\n", "\(told.errors)")
    #expect(told.code == 1)
  }

  @Test func warningsAboutUnhandledEventsBackOff() throws {
    let fixture = try Fixture(
      recipe:
        "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait for notify heart_rate_measurement\nwait 2000s\n",
      devices: "recipes/devices/heart-rate-strap.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(40)) == .ended)
    #expect((2...40).contains(fixture.errors.split(separator: "\n").count), "\(fixture.errors)")
  }

  @Test func onRestoreMayWaitThoughTimersAreDue() throws {
    let fixture = try Fixture(
      recipe: """
        let n = 0
        every 1s: set n to n + 1
        on restore as past
          wait 3s
          log "n {n}"
        end
        wait 20s
        print n

        """, devices: Self.device)
    try fixture.start()
    _ = fixture.world.run(for: .milliseconds(2500))
    fixture.world.drop()
    fixture.world.wait(.seconds(2))
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.errors.contains("n 2"))
    #expect(fixture.output == "16\n", "one tick for those that were missed")
  }
}
