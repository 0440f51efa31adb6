import Session
import Terminal

/// `tooth explain` lists the codes of findings and failures; with one of them it prints its page.
enum ExplainCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard let word = arguments.words.first else {
      console.print(Explanations.list())
      return 0
    }
    guard arguments.words.count == 1 else { throw UsageError("tooth explain takes one code", hint: HelpText.usage(command)) }
    guard let page = Explanations.page(Explanations.code(of: word)) else {
      let near = Explanations.nearest(to: word).map { " — did you mean \($0)?" } ?? ""
      throw UsageError("there is no code \(word)\(near)", hint: "tooth explain lists them")
    }
    console.print(Explanations.text(of: page))
    return 0
  }
}
