import Linux
import Recipe
import Testing
import Vocabulary
import World

/// The body of a `test` is on the air itself, beside the recipes that it starts.
@Suite struct TestAirTests {
  private let playground = Playground()

  private func verdicts(
    _ text: String, _ options: TestOptions = TestOptions(seed: 1), uses: String = ""
  ) throws -> [TestVerdict] {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((uses + TestRunTests.lamp + text).utf8))
    let file = try TestFile(path: path)
    return try file.tests.map { try TestSweep($0, of: file, options).run() }
  }

  private func passes(_ text: String, _ options: TestOptions = TestOptions(seed: 1), uses: String = "") throws {
    for verdict in try verdicts(text, options, uses: uses) {
      #expect(
        verdict.passed,
        "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
    }
  }

  private static let body = """
    test "the test is the client"
      let seen = []
      let gone = 0
      on notify lamp_state as state: set seen to seen + [state.u8(0)]
      on disconnect: set gone to gone + 1
      simulate lamp
      scan for lamp_service within 5s
      expect device.address is lamp.address
      connect
      expect lamp.connected
      subscribe to lamp_state
      read lamp_state as before
      expect before is u8(7)
      write u8(9) to lamp_state
      wait until count(seen) is 1 within 5s
      expect seen is [9] and lamp.writes_seen is 1 and lamp.writes is 1 and count(lamp.subscribers) is 1
      write u8(4) to lamp_state
      wait for notify lamp_state within 5s as fresh
      expect fresh.u8(0) is 4
      make lamp drop
      wait until gone is 1 within 1min
      connect
      disconnect
      wait until not lamp.connected within 5s
    end

    """

  @Test func aTestScansConnectsAndTransfers() throws { try passes(Self.body) }

  @Test(arguments: [
    "on advertisement of lamp_service as heard: set count to count + 1",
    "whenever lamp_service appears: set count to count + 1",
    "whenever lamp_service appears: connect; read lamp_state as state; set count to state.u8(0)",
  ])
  func aTestListens(handler: String) throws {
    try passes(
      """
      test "it listens"
        let count = 0
        \(handler)
        simulate lamp
        wait until count >= 1 within 10s
      end

      """)
  }

  @Test func absentDevicesAreNotFound() throws {
    try passes(
      """
      test "an empty air"
        try: scan for lamp_service within 5s otherwise expect it.kind is "not_found"
        simulate lamp
        scan for lamp_service
        make lamp vanish
        try: connect within 5s otherwise expect it.kind is "unreachable"
      end

      """)
  }

  @Test func aTestPairs() throws {
    try passes(
      """
      let safe = 5c1d0003-7e40-4f6e-9a0b-3d2f11aa0001
      peripheral vault
        advertise lamp_service every 100ms
        passkey "042137"
        service lamp_service
          characteristic safe can read needs authentication starts as u8(1)
        end
      end
      test "a code opens it"
        simulate vault
        on passkey request: answer "042137"
        scan for lamp_service
        connect
        pair
        read safe
        expect device.bonded and vault.bonds is 1
      end

      """)
  }

  static let kills: [TestOptions.Kills] = [.none, .kept(sample: 12), .direct(sample: 12)]

  /// The recipe serves, and the test is its central.
  @Test(arguments: kills) func aServingRecipeIsTested(kills: TestOptions.Kills) throws {
    var options = TestOptions(seed: 1)
    options.kills = kills
    try passes(
      """
      serve lamp
      wait forever
      test "it serves"
        start recipe as server
        scan for lamp_service within 1min
        connect when it appears
        try 5 times every 5s: read lamp_state as state
        expect state is u8(7)
      end

      """, options)
  }

  /// The recipe and the test have their own links to the same device.
  @Test(arguments: kills) func aTestAndARecipeShareADevice(kills: TestOptions.Kills) throws {
    var options = TestOptions(seed: 1)
    options.kills = kills
    options.chaos = 8
    try passes(
      """
      scan for lamp_service within 1min
      connect when it appears
      try 5 times every 5s: write u8(1) to lamp_state when unsure repeat
      print "done"
      test "both"
        simulate lamp
        start recipe as client
        scan for lamp_service
        connect
        subscribe to lamp_state
        wait until client.finished within 5min
        read lamp_state as state
        expect state is u8(1) and client.printed is ["done"]
      end

      """, options)
  }

  /// Random faults hit the links of the test, too, which does not count against a recipe.
  @Test func chaosFaultsDoNotFailTheTestItself() throws {
    var options = TestOptions(seed: 1)
    options.chaos = 40
    try passes(Self.body, options)
  }

  /// What a recipe serves is gone with its adapter, and so is the test's link to it.
  @Test func chaosExcusesATestWhoseServerLosesItsAdapter() throws {
    var options = TestOptions(seed: 1)
    options.chaos = 60
    try passes(
      """
      serve lamp
      wait forever
      test "it serves"
        start recipe as server
        scan for lamp_service within 1min
        connect
        wait 20s
        read lamp_state as state
        expect state is u8(7)
      end

      """, options)
  }

  @Test func aFailedTestShowsItsOwnLink() throws {
    let verdict = try #require(
      try verdicts(
        """
        test "it fails"
          simulate lamp
          scan for lamp_service
          connect
          write u8(3) to lamp_state
          expect lamp.writes is 2
        end

        """
      ).first)
    let failure = try #require(verdict.failure)
    #expect(failure.linkEvents.contains { $0.contains("the test → lamp  Write Request") }, "\(failure.linkEvents)")
    #expect(failure.capture.count > 100)
  }

  /// A test that has finished using the air when the faults begin is judged like one that never
  /// used it.
  @Test func chaosExcusesOnlyTestsThatItHits() throws {
    var options = TestOptions(seed: 1)
    options.chaos = 40
    let verdict = try #require(
      try verdicts(
        """
        peripheral desk
          let links = 0
          advertise lamp_service every 100ms
          service lamp_service
            characteristic lamp_state can read starts as u8(7)
          end
          on connect: set links to links + 1
        end
        scan for lamp_service within 1min
        connect when it appears
        reconnect forever
        test "one link only"
          simulate desk
          scan for lamp_service
          connect
          read lamp_state
          disconnect
          start recipe
          wait 3min
          expect desk.links is 2
        end

        """, options
      ).first)
    let failure = try #require(verdict.failure?.failure)
    #expect(failure.notes.contains { $0.contains("no recipe has failed") }, "\(failure)")
  }

  /// `use` statements apply to the test itself.
  @Test func settingsHoldInATest() throws {
    try passes(
      """
      let safe = 5c1d0003-7e40-4f6e-9a0b-3d2f11aa0001
      let slow = 5c1d0004-7e40-4f6e-9a0b-3d2f11aa0001
      peripheral vault
        advertise lamp_service every 100ms
        service lamp_service
          characteristic safe can read needs encryption starts as u8(1)
          characteristic slow can read starts as u8(1)
        end
      end
      test "it pairs, and is not patient"
        simulate vault
        scan for lamp_service
        connect
        read safe
        expect device.bonded and vault.bonds is 1
        make vault slow by 10s
        let since = now()
        try: read slow otherwise expect it.kind is "timeout" and now() - since < 5s
        expect now() - since >= 3s
      end

      """, uses: "use pairing automatic\nuse timeout 3s\n")
  }

  /// A host gives up after ten minutes, and the statement does not.
  @Test(arguments: ["forever", "21min"]) func connectWaitsForItsWholeTimeout(limit: String) throws {
    try passes(
      """
      test "it comes late"
        simulate lamp
        scan for lamp_service
        make lamp vanish
        after 20min: make lamp appear
        connect within \(limit)
        read lamp_state
        disconnect
        make lamp vanish
        let since = now()
        try: connect within 15min otherwise expect it.kind is "unreachable"
        expect now() - since is 15min
      end

      """)
  }
}
