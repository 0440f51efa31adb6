import Linux
import Recipe
import Testing
import Vocabulary
import World

/// `otherwise` of a set-up statement, on a later connection.
@Suite struct SetUpOtherwiseTests {
  /// A killed run that has not heard of a refusal ignores it: the subscription is requested again
  /// and succeeds.
  private func unlessKilled(_ kills: TestOptions.Kills) -> String {
    kills == .none ? "" : " or file(\"log.txt\").text().lines() is [\"link 1\", \"link 2\"]"
  }

  private static func lamp(_ name: String) -> String {
    """
    peripheral \(name) named "\(name)"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, notify starts as "light"
        characteristic 0xFFF2 can notify starts as "dark"
      end
    end

    """
  }

  /// The second link of a lamp refuses the first subscription; the device with an `on connect` is
  /// ready after that.
  private static func refusing(_ statements: String, _ expectations: String, others: String = "") -> String {
    lamp("lamp") + others + """
      let links = 0
      scan for "lamp" as lamp
      connect to lamp when it appears
      \(statements)
      on connect
        set links to links + 1
        append "link {links}" to "log.txt"
        print "link {links}"
        if links is 2: stop
      end
      reconnect forever

      test "refused on the second link"
        simulate lamp
        start recipe as r
        wait until "link 1" in r.printed within 1min
        wait 3s
        make lamp refuse next subscribe with 0x80
        make lamp drop
        wait until r.finished within 5min
      \(expectations)
      end

      """
  }

  /// It runs once, before other code gets the link; then set-up continues.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func theOtherwiseRunsAndSetUpContinues(kills: TestOptions.Kills)
    throws
  {
    try passes(
      Self.refusing(
        """
        subscribe to 0xFFF1 otherwise append "{it.kind} of {device.name}" to "log.txt"
        subscribe to 0xFFF2 otherwise append "never" to "log.txt"
        """,
        """
          expect r.exit_code is 0, r.errors
          expect file("log.txt").text().lines() is ["link 1", "refused of lamp", "link 2"]\(unlessKilled(kills)), file("log.txt").text()
        """), kills)
  }

  /// It may use the device, whose link no other code has yet.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func theOtherwiseCanUseTheDevice(kills: TestOptions.Kills) throws {
    try passes(
      Self.refusing(
        """
        procedure look(d)
          read 0xFFF1 of d as found
          append "saw {found.text()}" to "log.txt"
        end
        subscribe to 0xFFF1 otherwise look(device)
        """,
        """
          expect r.exit_code is 0, r.errors
          expect file("log.txt").text().lines() is ["link 1", "saw light", "link 2"]\(unlessKilled(kills)), file("log.txt").text()
        """), kills)
  }

  /// `leave` and `skip` of the loop around it have no effect on a later connection, and the
  /// statements that follow it in the body do not run again.
  @Test func leavingAFinishedLoopDoesNothing() throws {
    try passes(
      Self.refusing(
        """
        repeat 2 times
          subscribe to 0xFFF1 otherwise leave
          append "subscribed" to "log.txt"
        end
        """,
        """
          expect r.exit_code is 0, r.errors
          expect file("log.txt").text().lines() is ["link 1", "subscribed", "subscribed", "link 2"], file("log.txt").text()
        """))
  }

  @Test func theOtherwiseCanEndTheRecipe() throws {
    try passes(
      Self.refusing(
        "subscribe to 0xFFF1 otherwise stop with code 42",
        """
          expect r.exit_code is 42, r.errors
          expect file("log.txt").text().lines() is ["link 1"]
        """))
  }

  /// The attempt has failed, and the next one succeeds.
  @Test(arguments: ["", " otherwise fail \"no light\"", " otherwise expect 1 is 2"]) func withoutAnOtherwiseTheLinkIsClosed(
    otherwise: String
  )
    throws
  {
    try passes(
      Self.refusing(
        "on failure as p: append \"failed\" to \"log.txt\"\nsubscribe to 0xFFF1\(otherwise)",
        """
          expect r.exit_code is 1, r.errors
          expect file("log.txt").text().lines() is ["link 1", "failed", "link 2"], file("log.txt").text()

        """))
  }

  /// In a handler it sees the handler's names.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: nil)]) func theOtherwiseSeesEnclosingNames(kills: TestOptions.Kills)
    throws
  {
    try passes(
      Self.lamp("lamp") + """
        let links = 0
        on connect
          set links to links + 1
          let at = "link {links}"
          append at to "log.txt"
          if links is 2: stop
          subscribe to 0xFFF1 otherwise append "{at}: {it.kind}" to "log.txt"
          print at
        end
        scan for "lamp" as lamp
        connect to lamp when it appears
        reconnect forever

        test "refused on the second link"
          simulate lamp
          start recipe as r
          wait until "link 1" in r.printed within 1min
          wait 3s
          make lamp refuse next subscribe with 0x80
          make lamp drop
          wait until r.finished within 5min
          expect r.exit_code is 0, r.errors
          expect file("log.txt").text().lines() is ["link 1", "link 1: refused", "link 2"]\(unlessKilled(kills)), file("log.txt").text()
        end

        """, kills)
  }

  /// Two devices: one is refused, the other is not affected.
  @Test(arguments: [TestOptions.Kills.none, .kept(sample: 60)]) func otherDevicesAreNotAffected(kills: TestOptions.Kills) throws {
    try passes(
      Self.refusing(
        """
        scan for "other" as other
        connect to other when it appears
        subscribe to 0xFFF1 of other otherwise append "other" to "log.txt"
        subscribe to 0xFFF1 of lamp otherwise append "{device.name}: {it.kind}" to "log.txt"
        """,
        """
          expect r.exit_code is 0, r.errors
          expect not "other" in file("log.txt").text().lines()
          expect "lamp: refused" in file("log.txt").text().lines() or \(kills != .none)
        """, others: Self.lamp("other")
      ).replacing("  simulate lamp\n", with: "  simulate lamp\n  simulate other\n")
        .replacing("if links is 2: stop", with: "if links is 3: stop")
        .replacing("\"link 1\" in r.printed", with: "\"link 2\" in r.printed"), kills)
  }
}
