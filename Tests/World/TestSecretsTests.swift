import Linux
import Recipe
import Testing
import Vocabulary
import World

/// Whatever a test writes about its failure, it contains no secret.
@Suite struct TestSecretsTests {
  private let playground = Playground()

  /// All output and files of a failed test, as bytes.
  private func written(_ text: String, _ mode: TestOptions.Kills = .none) throws -> [UInt8] {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((TestRunTests.lamp + text).utf8))
    let file = try TestFile(path: path)
    var options = TestOptions(seed: 1)
    options.kills = mode
    let verdict = try TestSweep(try #require(file.tests.first), of: file, options).run()
    let outcome = try #require(verdict.failure)
    let failure = try #require(outcome.failure)
    #expect(!outcome.linkEvents.isEmpty && outcome.capture.count > 200)
    var all = outcome.capture
    let texts =
      [failure.message, failure.label, verdict.circumstance ?? ""] + failure.notes + failure.facts.map(\.text)
      + outcome.linkEvents + outcome.logs.map(\.text) + outcome.activities + outcome.doubled
      + outcome.trails.flatMap { $0.map(\.words) }
    for text in texts { all += Array(text.utf8) }
    for source in outcome.sources { all += source.bytes }
    return all
  }

  private func holds(_ all: [UInt8], _ secret: [UInt8]) -> Bool {
    guard let first = secret.first else { return false }
    return all.indices.contains { all[$0] == first && all[$0...].starts(with: secret) }
  }

  /// Written, sent back by the device, read again, and named by the test itself.
  @Test(arguments: ["hunter22", "4711", String(repeating: "long secret ", count: 40)])
  func writtenFilesHoldNoSecret(secret: String) throws {
    let all = try written(
      """
      input pin: secret
      scan for lamp_service
      connect
      subscribe to lamp_state
      write pin to lamp_state
      wait for notify raw lamp_state within 2s as back
      log back.text()
      read raw lamp_state as again
      print again
      test "it fails"
        simulate lamp
        start recipe with {pin: "\(secret)"} as r
        wait until r.finished within 1min
        expect r.errors is "\(secret)"
      end

      """)
    let octets = Array(secret.utf8)
    #expect(!holds(all, octets))
    for separator in ["", " "] {
      let digits = Hex.text(Array(octets.prefix(16)), separator: separator)
      #expect(!holds(all, Array(digits.utf8)), "\(digits)")
    }
    // Nor any fragment of it, as sent in a long write.
    if octets.count > 16 { #expect(!holds(all, Array(octets[100..<140]))) }
  }

  /// A value computed from a secret is secret, however short.
  @Test func writtenFilesHoldNoDerivedSecret() throws {
    let all = try written(
      """
      input pin: secret
      scan for lamp_service
      connect
      write u32(number(pin)) to lamp_state
      test "it fails"
        simulate lamp
        start recipe with {pin: "3735928559"} as r
        wait until r.finished within 1min
        expect lamp.writes_seen is 9
      end

      """)
    #expect(!holds(all, [0xEF, 0xBE, 0xAD, 0xDE]) && !holds(all, Array("ef be ad de".utf8)))
  }
}
