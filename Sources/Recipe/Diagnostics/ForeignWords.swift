/// Words of other languages, and their counterparts in recipes.
package enum ForeignWords {
  /// The exit codes that a recipe can give.
  static let ownCodes = 20...99

  /// The statement that ends with this exit code; `nil` if it is not a recipe's to give.
  static func stop(code: some BinaryInteger) -> String? {
    code == 0 ? "stop" : ownCodes.contains(Int(clamping: code)) ? "stop with code \(code)" : nil
  }

  /// What to write instead of a foreign word at the start of a statement, and why.
  package static func statement(_ word: String) -> (instead: String, reason: String)? {
    switch word {
    case "sleep", "delay", "pause", "usleep", "msleep", "sleep_ms", "delay_ms", "sleep_us", "delayMicroseconds":
      ("wait", "use `wait` with a unit to pause")
    case "echo", "puts", "printf", "println", "say", "output", "show", "display", "cout", "writeline":
      ("print", "use `print` to print a value")
    case "break": ("leave", "use `leave` to end a loop")
    case "continue", "next": ("skip", "use `skip` to continue with the next iteration")
    case "exit", "quit", "halt", "abort": ("stop", "use `stop` to end the recipe")
    case "throw", "raise", "error", "panic", "die": ("fail", "use `fail \"why\"` to fail")
    case "catch", "except", "rescue": ("otherwise", "use `otherwise` inside `try` to catch failures")
    case "def", "func", "function", "fn", "proc", "sub", "define": ("procedure", "use `procedure` to declare a procedure")
    case "var", "const", "local", "my", "val", "auto", "export", "declare", "readonly", "static":
      ("let", "use `let` to create a name")
    case "while": ("repeat while", "this loop is written `repeat while`")
    case "unless": ("if not", "use `if not` here")
    case "until": ("repeat until", "this loop is written `repeat until`")
    case "loop", "forever": ("repeat forever", "this loop is written `repeat forever`")
    case "foreach": ("for each", "this loop is written `for each`")
    case "each": ("every", "use `every` to start a timer")
    case "console": ("print", "use `print` to print a value")
    case "elif", "elsif", "elseif": ("else if", "use `else if` here")
    case "import", "require", "source", "using", "from": ("include", "use `include \"file.ble\"` for other files")
    case "assert", "check", "verify", "ensure": ("expect", "use `expect` to check something")
    case "bond": ("pair", "use `pair` to pair and bond")
    case "unbond", "unpair": ("forget", "use `forget` to delete a bond")
    case "listen": ("subscribe to", "use `subscribe to` for notifications, and `on notify` to handle them")
    case "unlisten": ("unsubscribe from", "use `unsubscribe from` to stop notifications")
    case "exec", "system", "spawn", "execute": ("run", "use `run` to start a program")
    case "find", "search", "lookup": ("scan for", "use `scan for` to find a device")
    case "get", "fetch": ("read", "use `read` to get a value from a device")
    case "put", "post": ("write", "use `write V to …` to send a value to a device")
    case "input": ("ask", "use `ask` to ask the user")
    case "fi", "done", "endif", "endwhile", "endfor", "esac": ("end", "blocks end with `end`")
    case "when": ("on", "use `on` to handle an event")
    case "begin", "do": ("", "a block needs no `begin` or `do`")
    case "pass", "noop", "nop": ("", "an empty block needs no statement")
    case "await": ("", "every statement already waits")
    case "async": ("", "nothing needs `async`: every statement waits")
    case "then": ("", "a block needs no `then`")
    default: nil
    }
  }

  /// What to write instead of `except` and the class of an exception.
  package static func exception(_ name: String) -> String? {
    switch name {
    case "Exception", "BaseException", "Error", "BleakError": "otherwise"
    case "TimeoutError": "otherwise if timeout"
    default: nil
    }
  }

  /// What to do instead of a foreign statement that no single word of ours replaces.
  package static func explained(_ word: String) -> String? {
    switch word {
    case "del", "delete", "unset": "use `set x to nothing` to clear a name"
    case "setTimeout", "setInterval": explainedCall(word)
    case "retry": "use `try 3 times` and `end` around what may fail"
    case "switch", "case", "match", "select", "default": "use `if`, `else if` and `else` to choose"
    case "trust": "use `pair`: a bonded device is trusted"
    case "power", "agent", "pairable", "discoverable": "tooth prepares the adapter by itself; `use adapter` chooses one"
    case "info", "services": "use `discover everything`, and then `for each s in device.services`"
    case "list", "ls": "use `discover everything` and `device.services`, or `scan for all anything as found`"
    case "sudo": "the user who starts `tooth` needs the rights: `tooth doctor` says which"
    case "timeout": "use `within 10s` at the end of the statement"
    case "watch": "use `subscribe to`, and `on notify … as value: print value`"
    case "class", "struct", "object": "use a record for several values: `let r = {a: 1, b: 2}`"
    default: nil
    }
  }

  /// What to do instead of a function that gets another function.
  package static func explainedCall(_ word: String) -> String? {
    switch word {
    case "setTimeout": "use `after 500ms` for what happens later, and `wait 500ms` to pause"
    case "setInterval": "use `every 500ms` for what happens again and again"
    default: nil
    }
  }

  /// The units that the number of a foreign pause may have.
  package static func units(ofPause word: String, _ value: String) -> [String] {
    switch word {
    // Seconds in shells and Python, milliseconds in JavaScript and on Windows.
    case "sleep": value.utf8.count > 2 && value.utf8.allSatisfy { (0x30...0x39).contains($0) } ? ["ms", "s"] : ["s"]
    case "delay", "msleep", "sleep_ms", "delay_ms": ["ms"]
    case "usleep", "sleep_us", "delayMicroseconds": ["us"]
    default: ["s", "ms"]
    }
  }

  /// Types that other languages write before a name.
  package static let types = [
    "int", "long", "short", "unsigned", "float", "double", "char", "string", "str", "bool", "boolean", "byte", "uint8_t",
    "uint16_t",
    "uint32_t", "int8_t", "int16_t", "int32_t", "String", "Int", "Bool", "dict", "list", "array",
  ]

  /// Whether the foreign word opens a block that `end` closes.
  package static func opensBlock(_ word: String) -> Bool {
    switch word {
    case "def", "func", "function", "fn", "proc", "sub", "define", "while", "until", "unless", "loop", "forever", "foreach", "when",
      "each":
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
