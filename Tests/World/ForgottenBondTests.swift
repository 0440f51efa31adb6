import Linux
import Runner
import Session
import Testing
import Vocabulary
import World

/// A device that has forgotten its bond, and a recipe that keeps running; and what the device knows
/// of a bond.
@Suite struct ForgottenBondTests {
  private let playground = Playground()

  static let pod = """
    let pod_service = 5c1d1001-7e40-4f6e-9a0b-3d2f11aa0001
    let pod_value   = 5c1d1002-7e40-4f6e-9a0b-3d2f11aa0001
    peripheral pod named "Pod"
      let links = 0
      let knew = []
      advertise pod_service every 100ms
      service pod_service
        characteristic pod_value can read, write needs encryption starts as u8(1)
      end
      on connect: set links to links + 1
      on write pod_value as v
        set knew to knew + [device.bonded]
        update pod_value to v
      end
    end
    on failure as p: print "failure {p.kind}"

    """

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var recipe: String
    var expectations: String
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "reconnect forever",
      recipe: "scan for pod_service\nconnect when it appears\npair\nreconnect forever\n",
      expectations: "expect w.exit_code is 7\n  expect count(w.printed) >= 2\n  expect pod.links < 8"),
    Case(
      name: "reconnect 20 times",
      recipe: "scan for pod_service\nconnect\npair\nreconnect 20 times\n",
      expectations: "expect w.exit_code is 7\n  expect pod.links < 8"),
    Case(
      name: "a read that waits",
      recipe: "scan for pod_service\nconnect when it appears\npair\nwait 8s\nread pod_value within 1min\n",
      expectations: "expect w.exit_code is 7\n  expect w.errors contains \"forgotten\"\n  expect pod.links < 12"),
    Case(
      name: "automatic",
      recipe: "use pairing automatic\nscan for pod_service\nconnect when it appears\nread pod_value\nreconnect forever\n",
      expectations: "expect w.exit_code is 7\n  expect \"failure stale_bond\" in w.printed"),
    Case(
      name: "while nobody waits",
      recipe: "use pairing automatic\nscan for pod_service\nconnect when it appears\nread pod_value\nwait 1min\n",
      expectations: "expect w.exit_code is 1\n  expect w.errors contains \"forgotten\"\n  expect not (w.errors contains \"│\")"),
    Case(
      name: "with back-off when it is handled",
      recipe: """
        scan for pod_service
        connect when it appears
        pair
        repeat 3 times
          reconnect forever otherwise print "told {it.kind}"
        end

        """,
      expectations: "expect w.exit_code is 1\n  expect count(w.printed) >= 9"),
  ]

  private func passes(_ recipe: String, _ test: String, _ kills: TestOptions.Kills = .none) throws {
    let uses = recipe.split(separator: "\n").prefix { $0.hasPrefix("use ") }
    let rest = recipe.split(separator: "\n").dropFirst(uses.count).joined(separator: "\n")
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((uses.joined(separator: "\n") + "\n" + Self.pod + rest + "\n\n" + test).utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    let verdict = try TestSweep(file.tests[0], of: file, options).run()
    #expect(
      verdict.passed,
      "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  /// Logged, counted and passed to `on failure`; the third time it is raised at the statement that
  /// waits for the device.
  @Test(arguments: cases) func aForgottenBondIsReportedAndRaised(one: Case) throws {
    try passes(
      one.recipe,
      """
      test "forgotten"
        simulate pod
        start recipe as w
        wait 5s
        expect pod.bonds is 1
        make pod forget bond
        make pod drop
        wait until w.finished within 10min
        \(one.expectations)
      end

      """)
  }

  @Test func aDeviceKnowsItsBondAtOnce() throws {
    try passes(
      "scan for pod_service\nconnect\npair\nwrite u8(2) to pod_value\n",
      """
      test "bonded"
        simulate pod
        start recipe as w
        wait until w.finished within 1min
        expect w.exit_code is 0
        expect pod.knew is [true]
      end

      """)
  }

  /// The second fault ends and delays nothing: the end of the link is noticed when it happens.
  @Test func aSecondFaultHidesNoLoss() throws {
    try passes(
      "scan for pod_service as pod\nconnect to pod when it appears\npair otherwise print \"x\"\nwait 1min\n",
      """
      test "two faults at one instant"
        simulate pod
        start recipe as w
        wait until pod.bonds is 1 within 1min
        wait 5s
        make pod forget bond
        make pod drop
        wait until pod.links is 2 within 5s
      end

      """)
  }

  // MARK: `pair … otherwise`

  private static let forgotten = """
    test "forgotten"
      simulate pod
      start recipe as w
      wait until pod.bonds is 1 within 1min
      wait 5s
      make pod forget bond
      make pod drop

    """

  /// The bond is refused before set-up begins, but the `otherwise` of its `pair` still runs, once
  /// per attempt. Attempts become rarer although the device advertises.
  @Test func theOtherwiseOfPairRunsWithBackOff() throws {
    try passes(
      """
      let told = 0
      scan for pod_service
      connect when it appears
      pair otherwise tell(device, it)
      procedure tell(pod, problem)
        set told to told + 1
        print "told {problem.kind} of {pod.name}"
        if told is 7: stop with code 42
      end
      reconnect forever

      """,
      Self.forgotten + """
          wait 40s
          expect not w.finished, w.printed
          wait until w.finished within 10min
          expect w.exit_code is 42, w.errors
          expect count(w.printed) is 7 and w.printed[6] is "told stale_bond of Pod", w.printed
          expect pod.links < 10
        end

        """)
  }

  /// The remedy of a user who knows that the device was reset.
  @Test(arguments: [TestOptions.Kills].swept(40)) func theOtherwiseOfPairCanPairAgain(kills: TestOptions.Kills) throws {
    try passes(
      """
      scan for pod_service as pod
      connect to pod when it appears
      pair otherwise cure(device)
      procedure cure(pod)
        forget pod
        connect to pod
        pair
        write u8(3) to pod_value when unsure repeat
        print "cured"
      end
      wait 1min

      """,
      Self.forgotten + """
          wait until w.finished within 10min
          expect w.exit_code is 0, w.errors
          expect "cured" in w.printed, w.printed
          expect pod.bonds is 1
        end

        """, kills)
  }

  /// A `reconnect` in an `otherwise` of the set-up would wait for the end of that `otherwise`.
  @Test(arguments: [
    ("pair otherwise renew(device)\nsubscribe to pod_value\n", "make pod forget bond"),
    ("pair\nsubscribe to pod_value otherwise renew(device)\n", "make pod refuse next subscribe with 0x80"),
  ]) func anOtherwiseDoesNotWaitForItself(_ setUp: String, _ fault: String) throws {
    let path = "\(playground.path)/itself.ble"
    let recipe = """
      procedure renew(pod)
        reconnect to pod 3 times
      end
      scan for pod_service
      connect

      """
    let test = """
      test "it fails, and the set-up goes on"
        simulate pod
        start recipe as w
        wait until pod.greeted is 1 within 1min
        \(fault)
        make pod drop
        wait until "failure value" in w.printed within 10min
      end

      """
    try saveFile(path, Array((Self.secret + recipe + setUp + "reconnect forever\n" + test).utf8))
    let file = try TestFile(path: path)
    let verdict = try TestSweep(file.tests[0], of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  private static let secret = """
    let pod_service = 5c1d1001-7e40-4f6e-9a0b-3d2f11aa0001
    let pod_value   = 5c1d1002-7e40-4f6e-9a0b-3d2f11aa0001
    peripheral pod named "Pod"
      let greeted = 0
      advertise pod_service every 100ms
      service pod_service
        characteristic pod_value can read, write, notify needs encryption starts as u8(1)
      end
      on write pod_value: set greeted to greeted + 1
    end
    on failure as p: print "failure {p.kind}"
    on notify pod_value as v: debug v
    on connect: write u8(2) to pod_value when unsure repeat

    """

  private static let renewals = [
    "forget device",
    "renew(device)\nprocedure renew(pod)\n  forget pod\n  connect to pod\n  pair\nend",
    "renew(device)\nprocedure renew(pod)\n  forget pod\n  pair\n  read pod_value\nend",
  ]

  /// The obvious recipe recovers by itself, however often the device forgets its bond and wherever
  /// the run is killed. Its subscriptions need the bond.
  @Test(arguments: renewals, [TestOptions.Kills].swept(30))
  func aForgottenBondIsRenewedEachTime(renewal: String, kills: TestOptions.Kills) throws {
    for waits in kills == .none ? ["", " when it appears"] : [""] {
      try heals(
        """
        scan for pod_service as pod
        connect to pod\(waits)
        pair otherwise \(renewal)
        subscribe to pod_value
        reconnect forever

        """, kills)
    }
  }

  /// Another `pair` with the same device, with or without an `otherwise` of its own, does not
  /// remove that of the first.
  @Test(arguments: [
    "on connect: pair with device\n", "after 1s: pair with pod\n", "pair\n", "pair otherwise log \"later\"\n",
    "on connect: pair with device otherwise log \"later\"\n", "procedure again(pod)\n  pair with pod\nend\nagain(pod)\n",
  ]) func aLaterPairLeavesTheOtherwise(later: String) throws {
    try heals(
      "scan for pod_service as pod\nconnect to pod\npair otherwise forget device\n\(later)subscribe to pod_value\nreconnect forever\n",
      .none)
  }

  /// The `otherwise` of `pair` is used again after it has paired.
  @Test func aPairInTheOtherwiseOfAPairIsThatPair() throws {
    try heals(
      """
      scan for pod_service as pod
      connect to pod
      pair within 1ms otherwise renew(device)
      procedure renew(pod)
        forget pod
        connect to pod
        pair
      end
      subscribe to pod_value
      reconnect forever

      """, .none)
  }

  /// A `connect` of the recipe fails with it, and its `otherwise` may renew the bond. The `pair`
  /// after it has its own.
  @Test func theOtherwiseOfConnectMayRenewTheBond() throws {
    let path = "\(playground.path)/connect.ble"
    let recipe = """
      scan for pod_service as pod
      procedure renew(pod)
        print "renewed"
        forget pod
        connect to pod
        pair
      end
      repeat 2 times
        connect to pod otherwise renew(pod)
        pair with pod otherwise renew(pod)
        wait 5s
        disconnect from pod
        wait 5s
      end
      connect to pod
      subscribe to pod_value of pod
      reconnect forever

      """
    let test = """
      test "forgotten between two links, and later"
        simulate pod
        start recipe as w
        wait until pod.greeted is 1 within 1min
        make pod forget bond
        wait until pod.greeted is 3 within 1min
        expect w.printed is ["renewed"], w.errors
        wait 2s
        make pod forget bond
        make pod drop
        wait until pod.greeted is 4 within 1min
        expect w.printed is ["renewed", "renewed"], w.errors
      end

      """
    try saveFile(path, Array((Self.secret + recipe + "\n" + test).utf8))
    let file = try TestFile(path: path)
    let verdict = try TestSweep(file.tests[0], of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  private func heals(_ recipe: String, _ kills: TestOptions.Kills) throws {
    let path = "\(playground.path)/heal.ble"
    let test = """
      test "forgotten three times"
        simulate pod
        start recipe as w
        wait until pod.greeted > 0 within 1min
        let before = 0
        repeat 3 times
          wait 2s
          set before to pod.greeted
          make pod forget bond
          make pod drop
          wait until pod.greeted > before within 5min
          expect pod.bonds is 1
        end
        wait 30s
        expect not w.finished, w.errors
        expect not "failure needs_pairing" in w.printed, w.printed
      end

      """
    try saveFile(path, Array((Self.secret + recipe + "\n" + test).utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = kills
    let verdict = try TestSweep(file.tests[0], of: file, options).run()
    #expect(
      verdict.passed,
      "\(recipe) \(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }

  /// The line is that of the failed statement.
  @Test func aFailureInTheOtherwiseHasItsLine() throws {
    try passes(
      """
      scan for pod_service
      connect when it appears
      pair otherwise tell(device)
      procedure tell(pod)
        fail "no bond with {pod.name}"
      end
      reconnect forever

      """,
      Self.forgotten + """
          wait until "failure user" in w.printed within 1min
          expect w.errors contains 'fail "no bond', w.errors
          expect not (w.errors contains "pair otherwise"), w.errors
        end

        """)
  }

  /// An `otherwise` that fails itself makes the attempt fail, as without it.
  @Test func theOtherwiseOfPairMayFail() throws {
    try passes(
      "scan for pod_service\nconnect when it appears\npair otherwise fail \"no\"\nreconnect forever\n",
      Self.forgotten + """
          wait until "failure user" in w.printed within 1min
          expect not w.finished
        end

        """)
  }

  /// The `otherwise` of `pair` also handles a pairing that fails after it, and set-up continues.
  @Test func aRenewalThatFailsIsHandled() throws {
    let path = "\(playground.path)/refused.ble"
    let recipe = """
      let pod_service = 5c1d1001-7e40-4f6e-9a0b-3d2f11aa0001
      let pod_value   = 5c1d1002-7e40-4f6e-9a0b-3d2f11aa0001
      peripheral pod named "Pod"
        advertise pod_service every 100ms
        passkey "042137"
        service pod_service
          characteristic pod_value can read, write needs authentication starts as u8(1)
        end
      end
      let asked = 0
      on passkey request
        set asked to asked + 1
        if asked is 1
          answer "042137"
        else
          refuse
        end
      end
      on connect: print "connected {device.encrypted}"
      procedure renew(pod, why)
        print "renewing: {why.kind}"
        forget pod
      end
      scan for pod_service as pod
      connect to pod
      pair otherwise renew(device, it)
      read pod_value
      reconnect forever otherwise print "end {it.kind}"
      print "after"

      test "refused again"
        simulate pod
        start recipe as w
        wait 5s
        make pod forget bond
        make pod drop
        wait 2min
        expect w.printed is ["connected true", "renewing: stale_bond", "renewing: refused", "connected false"], w.errors
      end

      """
    try saveFile(path, Array(recipe.utf8))
    let file = try TestFile(path: path)
    let verdict = try TestSweep(file.tests[0], of: file, TestOptions(seed: 1)).run()
    #expect(verdict.passed, "\(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])")
  }
}
