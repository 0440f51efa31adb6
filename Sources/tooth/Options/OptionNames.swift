/// The options of one command by their names. Each is looked up when the command line has it: of
/// forty, most give two or three.
struct OptionNames {
  var names: [String]

  init(of command: Command) { names = command.options + ["help"] }

  /// `time-limit` of `--time-limit`. What has one letter is written with one dash.
  func option(long name: String) -> Option? { name.count > 1 && names.contains(name) ? OptionTable.option(name) : nil }

  func option(short letter: Character) -> Option? {
    OptionTable.options.indices.first { OptionTable.options[$0].short == letter && names.contains(OptionTable.options[$0].name) }
      .map { OptionTable.options[$0] }
  }

  /// `q` of `-q`; nothing for more than a letter.
  func option(short name: String) -> Option? { name.count == 1 ? name.first.flatMap { option(short: $0) } : nil }
}
