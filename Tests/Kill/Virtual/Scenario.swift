import Judgement
import Vocabulary
import World

/// A recipe, its devices, and for how long it runs under the virtual clock.
struct Scenario: Sendable {
  var name: String
  /// Paths in the project.
  var recipe: String
  var devices: String
  /// Beside the recipe's text: replacements, to try it with other words.
  var edits: [(from: String, to: String)] = []
  var deviceEdits: [(from: String, to: String)] = []
  /// As typed on the command line.
  var inputs: [(name: String, value: String)] = []
  var duration: TimeSpan
  /// Of the uninterrupted run: 8 when its time is over.
  var exitCode: Int32 = 8
  var seed: UInt64 = 7
  /// What happens on the air by itself.
  var faults: [Fault] = []
  var files: [String] = []
  var facts: @Sendable (_ address: (String) -> String) -> Facts
  /// Which effects of the uninterrupted run are killed at.
  var isKilledAt: @Sendable (_ effect: Int, _ at: Moment) -> Bool = { _, _ in true }
  /// At which effect of the second life it is killed once more.
  var againAt: @Sendable (_ effect: Int) -> Int? = { _ in nil }
  /// A killed run goes on at least so long after its kill, so that it comes to rest before it ends.
  var rest = TimeSpan.seconds(30)

  struct Fault: Sendable {
    var at: TimeSpan
    var order: @Sendable (SimulatedAir) -> Void
  }
}
