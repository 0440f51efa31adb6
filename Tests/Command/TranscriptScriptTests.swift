import Linux
import Testing

/// `SM.txt` is the output of its script, not of our own cryptography.
@Suite struct TranscriptScriptTests {
  @Test func theTranscriptsOfPairingAreThoseOfTheScript() throws {
    let folder = "\(Tooth.package)/Tests/Transcripts"
    let outcome = try Program.run(["\(folder)/SM.py"], program: "python3", limit: 600)
    let kept = String(decoding: try readFile("\(folder)/SM.txt", limit: 1 << 24), as: UTF8.self)
    #expect(outcome.code == 0 && outcome.output == kept, "python3 SM.py >SM.txt\n\(outcome.errors)")
  }
}
