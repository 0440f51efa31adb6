/// Words of other languages, and what they are called here.
package enum ForeignWords {
  /// What to say instead of a word at the beginning of a statement: its words, and why.
  package static func statement(_ word: String) -> (instead: String, reason: String)? {
    switch word {
    case "sleep", "delay", "pause", "usleep": ("wait", "to pause, say `wait`, with a unit")
    case "echo", "puts", "printf", "println", "say", "output", "show", "display": ("print", "to print a value, say `print`")
    case "break": ("leave", "to end a loop, say `leave`")
    case "continue", "next": ("skip", "to go on with the next round, say `skip`")
    case "exit", "quit", "halt", "abort": ("stop", "to end the recipe, say `stop`")
    case "throw", "raise", "error", "panic", "die": ("fail", "to fail, say `fail \"why\"`")
    case "catch", "except", "rescue", "finally": ("otherwise", "failures are caught by `otherwise` inside `try`")
    case "def", "func", "function", "fn", "proc", "sub", "define": ("procedure", "a procedure begins with `procedure`")
    case "var", "const", "local", "my", "val", "auto": ("let", "a new name begins with `let`")
    case "while": ("repeat while", "this loop is called `repeat while`")
    case "until": ("repeat until", "this loop is called `repeat until`")
    case "loop", "forever": ("repeat forever", "this loop is called `repeat forever`")
    case "foreach": ("for each", "this loop is called `for each`")
    case "each": ("every", "a timer begins with `every`")
    case "console": ("print", "to print a value, say `print`")
    case "elif", "elsif", "elseif": ("else if", "say `else if`")
    case "import", "require", "source", "using", "from": ("include", "other files come with `include \"file.ble\"`")
    case "assert", "check", "verify", "ensure": ("expect", "to check something, say `expect`")
    case "bond": ("pair", "pairing and bonding is `pair`")
    case "unbond", "unpair": ("forget", "to delete a bond, say `forget`")
    case "listen": ("subscribe to", "notifications come with `subscribe to`, and are handled by `on notify`")
    case "unlisten": ("unsubscribe from", "to end notifications, say `unsubscribe from`")
    case "exec", "system", "spawn", "execute": ("run", "to start a program, say `run`")
    case "find", "search", "lookup": ("scan for", "to find a device, say `scan for`")
    case "get", "fetch": ("read", "to get a value from a device, say `read`")
    case "put", "post": ("write", "to give a value to a device, say `write V to …`")
    case "input": ("ask", "to ask somebody, say `ask`")
    case "fi", "done", "endif", "endwhile", "endfor", "esac": ("end", "blocks close with `end`")
    case "when": ("on", "what happens is handled by `on`")
    case "begin", "do": ("", "a block needs no `begin` and no `do`")
    case "pass", "noop", "nop": ("", "an empty block needs no statement")
    case "await": ("", "every statement waits by itself")
    case "then": ("", "a block needs no `then`")
    default: nil
    }
  }

  /// Whether the foreign word opens a block that closes with `end`.
  package static func opensBlock(_ word: String) -> Bool {
    switch word {
    case "def", "func", "function", "fn", "proc", "sub", "define", "while", "until", "loop", "forever", "foreach", "when", "each":
      true
    default: false
    }
  }

  /// What to write instead of a word inside an expression.
  package static func value(_ word: String) -> String? {
    switch word {
    case "null", "nil", "none", "None", "NULL", "undefined": "nothing"
    case "True", "TRUE": "true"
    case "False", "FALSE": "false"
    default: nil
    }
  }

  /// What to write instead of an operator.
  package static func operatorWord(_ symbol: Symbol) -> String? {
    switch symbol {
    case .doubleEqual: "is"
    case .notEqual: "is not"
    case .doubleAmpersand: "and"
    case .doubleBar: "or"
    case .exclamation: "not"
    case .percent: "mod"
    default: nil
    }
  }
}
