/// The statements of a prompt: their syntax and what they do, for `help` and completion.
package enum StatementForms {
  /// Serving, simulating and testing belong in a file; channels are not supported yet.
  package static let others = [
    "advertise", "notify", "indicate", "update", "serve", "simulate", "start", "kill", "resume", "make", "restart", "open", "send",
    "close",
  ]

  package typealias Statement = (form: String, meaning: String)

  package static func form(of word: String) -> Statement? { all.first { $0.form.hasPrefix(word + " ") || $0.form == word } }

  /// The first words of all statements.
  static var words: [String] {
    var words: [String] = []
    for statement in all {
      let word = String(statement.form.prefix { $0 != " " })
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// The words in lines of this width.
  static func lines(columns: Int) -> [String] {
    var lines = [""]
    for word in words {
      if lines[lines.count - 1].utf8.count + word.utf8.count >= columns { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines
  }

  /// What is in brackets may be missing, `|` separates alternatives, and `…` stands for statements.
  /// A test writes out each form and parses it.
  package static let all: [Statement] = [
    (
      "scan for [all | strongest] WHAT [named TEXT] [stronger than NdBm] [where CONDITION] [within D] [as NAME]",
      "Finds the first device that matches, within 30s. `all` and `strongest` listen for 10s."
    ),
    (
      "connect [to DEVICE] [when it appears] [within D]",
      "Returns when the link is up, or fails with `unreachable`. See: help reconnect"
    ),
    ("reconnect [to DEVICE] forever | reconnect [to DEVICE] N times [waiting D]", "Keeps devices connected, and waits meanwhile."),
    ("disconnect [from DEVICE]", "Ends the link. The device is not connected again."),
    ("pair [with DEVICE] [within D]", "Encrypts the link with the bond, or pairs and makes one. See: help forget"),
    ("forget [DEVICE]", "Removes the bond with the device."),
    (
      "request mtu N | request phy TEXT | request interval D | request speed TEXT",
      "Asks for another value of the link. `device` has the result."
    ),
    ("answer VALUE", "Gives what a handler was asked for. See: help on"),
    ("refuse [with CODE]", "Refuses what a handler was asked for."),
    (
      "discover [everything | SERVICE] [of DEVICE] [within D]",
      "Finds services and characteristics now, instead of when they are needed."
    ),
    (
      "read [raw] ATTRIBUTE [of DEVICE] [within D] [as NAME]",
      "Decodes the value by its format; `raw` gives bytes. See: help write, help formats"
    ),
    (
      "write VALUE to ATTRIBUTE [of DEVICE] [in pieces] [within D] [when unsure fail | when unsure repeat | when unsure verify | when unsure skip] | write VALUE to ATTRIBUTE without response [in pieces]",
      "Bytes are written as they are, and other values by the format of the characteristic. See: help read"
    ),
    ("subscribe to ATTRIBUTE [, ATTRIBUTE]", "Asks for notifications or indications, again after each reconnection. See: help on"),
    ("unsubscribe from ATTRIBUTE", "Asks for no more of them."),
    (
      "wait D | wait forever | wait until CONDITION [within D] | wait for EVENT [where CONDITION] [within D] [as NAME]",
      "Pauses, or waits for a condition or an event. Without `within` there is no limit."
    ),
    ("print VALUE [, VALUE]", "Prints values on stdout."),
    ("log VALUE [, VALUE]", "Writes a line of the log on stderr."),
    ("warn VALUE [, VALUE]", "Writes a warning on stderr."),
    ("debug VALUE [, VALUE]", "Writes a line on stderr, if --verbose is given."),
    ("append VALUE to FILE", "Adds a line to a file, exactly once: a row to .csv, an object to .jsonl, else text."),
    ("save VALUE to FILE", "Replaces a file, all at once."),
    ("progress VALUE of VALUE", "Shows how much is done."),
    (
      "run TEXT [within D] [as NAME] | run shell TEXT [within D] [as NAME]",
      "Starts a program. `as` gives its .out, .err and .code."
    ),
    ("ask [secret] TEXT [as NAME]", "Asks on the terminal."),
    ("let NAME = VALUE", "Gives a value a name. See: help set"),
    ("set NAME to VALUE", "Changes the value of a name, or of a field or an element of it."),
    ("expect CONDITION [, TEXT]", "Fails with the text if the condition does not hold."),
    ("stop [with code N]", "Ends the recipe; at a prompt, the session."),
    ("fail TEXT [with code N]", "Fails with the text, which `otherwise` can handle. See: help try"),
    ("return [VALUE]", "Leaves a procedure or a handler."),
    ("leave", "Ends the loop."),
    ("skip", "Goes on with the next round of the loop."),
    ("checkpoint", "Stores the state now."),
    ("if CONDITION … [else …] end", "Runs its statements if the condition holds."),
    (
      "repeat N times … end | repeat forever … end | repeat while CONDITION … end | repeat until CONDITION … end",
      "Runs its statements again. See: help leave, help skip"
    ),
    ("for each NAME in LIST [at once] … end", "Runs its statements for each element. See: help leave, help skip"),
    (
      "try [N times] [every D] [within D] … [otherwise …] end",
      "Runs its statements again if they fail, and then what follows `otherwise`."
    ),
    ("with DEVICE … end", "Sets the device that its statements mean."),
    ("on EVENT [where CONDITION] [as NAME] … end", "Runs its statements at each such event."),
    ("every D … end", "Runs its statements again and again, for the first time after D."),
    ("after D … end", "Runs its statements once, after D."),
    ("whenever WHAT appears [again after D] [as NAME] … end", "Runs its statements for each device that is heard."),
    ("procedure NAME(NAME) … end", "Gives statements a name, which calls them: `NAME(VALUE)`."),
    ("format NAME … end", "Describes how bytes are decoded. See: help formats"),
  ]
}
