/// The options of a command by name, looked up on demand, because most command lines have only two
/// or three of forty.
struct OptionNames {
  var names: [String]

  init(of command: Command) { names = command.options + ["help"] }

  /// `time-limit` of `--time-limit`. One-letter names have a single dash instead.
  func option(long name: String) -> Option? { name.count > 1 && names.contains(name) ? OptionTable.option(name) : nil }

  func option(short letter: Character) -> Option? {
    OptionTable.options.indices.first { OptionTable.options[$0].short == letter && names.contains(OptionTable.options[$0].name) }
      .map { OptionTable.options[$0] }
  }

  /// `q` of `-q`; `nil` for longer names.
  func option(short name: String) -> Option? { name.count == 1 ? name.first.flatMap { option(short: $0) } : nil }
}
