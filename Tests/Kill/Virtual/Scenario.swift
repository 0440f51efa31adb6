import Judgement
import Vocabulary
import World

/// A recipe, its devices, and its duration under the virtual clock.
struct Scenario: Sendable {
  var name: String
  /// Paths in the project.
  var recipe: String
  var devices: String
  /// Replacements in the recipe's text, to try variants.
  var edits: [(from: String, to: String)] = []
  var deviceEdits: [(from: String, to: String)] = []
  /// As typed on the command line.
  var inputs: [(name: String, value: String)] = []
  var duration: TimeSpan
  /// Exit code of the uninterrupted run; 8 if it is stopped by its time limit.
  var exitCode: Int32 = 8
  var seed: UInt64 = 7
  /// Events on the air that the run does not cause.
  var faults: [Fault] = []
  var files: [String] = []
  var facts: @Sendable (_ address: (String) -> String) -> Facts
  /// The effects of the uninterrupted run at which it is killed.
  var isKilledAt: @Sendable (_ effect: Int, _ at: Moment) -> Bool = { _, _ in true }
  /// The effect of the second life at which it is killed again.
  var againAt: @Sendable (_ effect: Int) -> Int? = { _ in nil }
  /// The minimum duration of a run after its kill, so that it comes to rest before it ends.
  var rest = TimeSpan.seconds(30)

  struct Fault: Sendable {
    var at: TimeSpan
    var order: @Sendable (SimulatedAir) -> Void
  }
}
