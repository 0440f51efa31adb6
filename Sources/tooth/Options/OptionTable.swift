/// The whole command line as data.
enum OptionTable {
  static let options: [Option] = [
    Option(
      "adapter", value: "WHERE",
      "the controller: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix:PATH, tcp:HOST:PORT or serial:DEVICE[@BAUD] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim:FILE (the peripherals of FILE, simulated in this process; sim:demo needs no file)"
    ),
    Option("take", "take the adapter even when other programs have links on it; the links are cut", twin: false),
    Option("listen", value: "WHERE", "where hosts connect: unix:PATH or tcp:HOST:PORT", twin: false),
    Option("as", value: "NAME", "name the run; needed for stdin and -e, a moved file, one recipe on two adapters", twin: false),
    Option("fresh", "start from the top, whatever the last run left", twin: false),
    Option("as-started", "continue with the text that the run was started with", twin: false),
    Option("e", short: "e", value: "LINE", "a line of recipe; may be repeated", repeats: true, twin: false),
    Option(
      "output", value: "FORMAT", "what print writes to stdout: text, json (an object a line) or csv; values only",
      choices: ["text", "json", "csv"]),
    Option(
      "csv-escape",
      "in CSV, put a ' before a text that a spreadsheet would take for a formula: one that begins with = + - or @ and is no number"),
    Option("time-limit", value: "DURATION", "stop after this time with exit code 8 (scan: with what was found)"),
    Option(
      "clock", value: "KIND", "virtual: with sim:, jump from event to event instead of waiting; needs --time-limit",
      choices: ["real", "virtual"]),
    Option("seed", value: "N", "the chance of a simulated air; the same seed gives the same run"),
    Option(
      "state", value: "DIR", "where checkpoints are kept; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth",
      isFile: true),
    Option("checkpoint-age", value: "DURATION", "older checkpoints are not picked up by run; default 24h"),
    Option(
      "wait-lock", value: "DURATION",
      "wait so long for the end of another process that is at the same run, then give up with exit code 11; default is not at all"),
    Option("checkpoint-sync", value: "DURATION", "how soon a commit is on the disk; default 1s"),
    Option("strict", "stop at the first failure that nothing handles, also in a handler; check: warnings are errors"),
    Option(
      "secret", value: "NAME=VALUE",
      "the value of a secret input; others see it in the list of processes, so better TOOTH_SECRET_NAME", repeats: true, twin: false
    ),
    Option("allow", value: "WHAT", "what a recipe from stdin or -e may do: write-files=DIR, or none", repeats: true),
    Option("capture", value: "FILE", "record every HCI packet (btsnoop, keys and secrets blotted out)", isFile: true),
    Option("log", value: "FILE", "a JSON line for every packet in the air", twin: false, isFile: true),
    Option("direct", "host the adapter inside this process, not in a keeper; a kill then loses the links"),
    Option(
      "keeper",
      "host the adapter in a keeper, which is started when there is none; a run on an adapter of the kernel does so by itself"),
    Option("keep", value: "DURATION", "how long a keeper stays when its last client has left; default 10s"),
    Option("hold", value: "DURATION", "how long a keeper holds the links of a client that died; default 10min"),
    Option("force", "also with clients there", twin: false),
    Option("all", "every link, whosever it is", twin: false),
    Option("user", "a service of this user, also for root", twin: false),
    Option("no-start", "write the service, but neither enable nor start it", twin: false),
    Option("print", "show what would be written, and write nothing", twin: false),
    Option("quiet", short: "q", "on stderr errors only"),
    Option("verbose", short: "v", "on stderr debug lines and what goes over the link, too; twice (-vv): packets in hex"),
    Option("raw", "print text on a terminal as it is: control characters from a device are not escaped"),
    Option("events", "with --output json: what happens goes to stdout too (progress, connections, failures)"),
    Option("diagnostics", value: "FORMAT", "how findings are shown: text or json", choices: ["text", "json"]),
    Option("color", value: "WHEN", "colour on stderr: auto, always or never", choices: ["auto", "always", "never"]),
    Option("ascii", "frames of - and |"),
    Option("help", short: "h", "show help", twin: false),
  ]

  private static let shown = ["quiet", "verbose", "diagnostics", "color", "ascii"]
  private static let running =
    [
      "adapter", "take", "direct", "keeper", "keep", "hold", "output", "events", "csv-escape", "raw", "time-limit", "clock", "seed",
      "capture",
      "secret", "allow",
      "strict",
    ]
  private static let keeping = ["state", "checkpoint-age", "checkpoint-sync", "wait-lock"]

  static let commands: [Command] = [
    Command(
      name: "run", arguments: "FILE.ble|- [--INPUT VALUE …]", summary: "run a recipe, or go on where it was killed",
      details: [
        "Runs a recipe. Its inputs are options; tooth help FILE.ble lists them. A dash reads the recipe from stdin; -e LINE gives its lines.",
        """
        A run whose process was killed, crashed or was ended by SIGTERM, or whose machine went down, goes on where it was, and one line on \
        stderr says where. After its end, stop, an unhandled failure or Ctrl-C it starts from the top. A run is its recipe's path and the values \
        of its inputs, or the name given with --as. Recipes from stdin and -e keep no checkpoint without --as.
        """,
      ], options: running + ["as", "fresh", "as-started", "e"] + keeping + shown, takesRecipes: true),
    Command(
      name: "resume", arguments: "FILE.ble|ID [--INPUT VALUE …]",
      summary: "go on with a run that was interrupted, failed or killed",
      details: [
        "Also after Ctrl-C and after a failure, when run starts from the top. A run is named by its recipe or by its ID (tooth runs)."
      ],
      options: running + ["as", "as-started"] + keeping + shown, takesRecipes: true),
    Command(
      name: "runs", arguments: "[show ID|drop ID …]", summary: "list the runs, show one, or delete one for good",
      details: [
        "Without a word it lists every run: its ID, how it stands, when it was last at work, its recipe.",
        "show prints what the checkpoint of a run holds. drop deletes it; what it remembers stays for other runs of the recipe.",
      ], options: ["state", "output"] + shown, verbs: ["show", "drop"]),
    Command(
      name: "check", arguments: "FILE.ble …", summary: "report everything that is wrong with a recipe",
      details: [
        "Prints every finding with its line and what to write instead, or that there is none. Exit code 3 when there is an error. Nothing is sent."
      ],
      options: ["strict"] + shown, takesRecipes: true),
    Command(
      name: "scan", arguments: "", summary: "show the devices in range",
      details: [
        "Prints each device once, when it is first heard: address, signal, name, services. Listens for 10s unless --time-limit says otherwise."
      ],
      options: ["adapter", "take", "direct", "keeper", "keep", "hold", "time-limit", "output", "clock", "seed", "capture"] + shown),
    Command(
      name: "adapters", arguments: "", summary: "list the kernel's Bluetooth adapters",
      details: [
        "Prints each adapter with its address, its bus, and how it stands: off, on, held by which program, blocked by rfkill. Nothing is touched, and no privileges are needed; the names of programs of other users need some."
      ], options: ["output"] + shown),
    Command(
      name: "adapter", arguments: "reset", summary: "reset a controller that something else left in a bad state",
      details: [
        """
        reset sends HCI Reset to the controller and waits for its answer; when none comes, the connection to it is opened anew and it is asked once \
        more. Links, scans and advertising that were left in it are gone then. Exit code 0 when it answered, 9 when not.
        """,
        """
        Where a keeper has the adapter, the keeper resets it, and its clients go on when it is back; with clients connected only with --force. \
        Where other programs have links through the kernel, only with --take.
        """,
      ], options: ["adapter", "take", "force", "output"] + shown, verbs: ["reset"]),
    Command(
      name: "disconnect", arguments: "--all", summary: "end the links that something else left in a controller",
      details: [
        """
        A program that dies may leave links in its controller, which keep their devices from being found. They are looked for, each is ended, and \
        the controller is reset. A controller does not tell whose handle is whose, so links are named by their handles, and by the address where \
        the kernel or a keeper knows it. One that does not tell its links is only reset, which ends them as well; their devices notice that later.
        """,
        """
        Where a keeper has the adapter, it ends its links; those of connected clients only with --force. Links of other programs through the \
        kernel are cut only with --take.
        """,
      ], options: ["adapter", "all", "take", "force", "output"] + shown),
    Command(
      name: "keeper", arguments: "[status|run|stop]", summary: "show, run or end the process that keeps an adapter",
      details: [
        """
        A keeper is a process that owns one adapter for all who use it: runs and scans are its clients and share it. It starts with the first \
        client, and leaves some time after the last. A client that ends lets go of its links; one that was killed leaves them, and finds them \
        again, with everything that happened meanwhile, when it is started again in time.
        """,
        """
        status says how the keeper of the adapter stands, or that there is none (exit code 9). run is the keeper itself, in the foreground. stop \
        ends it; with clients connected only with --force.
        """,
      ], options: ["adapter", "take", "keep", "hold", "force", "output"] + shown, verbs: ["status", "run", "stop"]),
    Command(
      name: "service", arguments: "[status|install FILE.ble [-- --INPUT VALUE …]|remove NAME]",
      summary: "run a recipe as a service of systemd",
      details: [
        """
        install checks the recipe, writes a unit for it, and enables and starts that: a service of the machine for root, which then runs \
        unprivileged, of the user for others (loginctl enable-linger lets it run without a login). What follows -- is for the run: its inputs, \
        and options like --adapter. The service is named after the recipe, or as --as says; one that is there already is replaced.
        """,
        "install also says where the files of the recipe go, and which secrets it needs: LoadCredential= gives them. remove stops it and takes its unit away; its checkpoint stays. status lists the services and what each is doing.",
      ], options: ["as", "user", "no-start", "print", "output"] + shown, verbs: ["status", "install", "remove"]),
    Command(
      name: "doctor", arguments: "", summary: "look for what keeps Bluetooth from working",
      details: [
        """
        Looks at the kernel, rfkill, the rights of this process, bluetoothd, the adapters, keepers, systemd and its tooth services, and the \
        checkpoints. Each line is good or bad; a bad one says what cures it. Nothing is changed. Exit code 0 when all is good, 9 when \
        something is wrong with kernel, rights or adapter, else 11 when it is the checkpoints, else 1.
        """
      ], options: ["state", "output"] + shown),
    Command(
      name: "air", arguments: "FILE.ble --listen WHERE", summary: "put the peripherals of a file on a simulated air",
      details: [
        """
        Serves a simulated air in a process of its own: the peripherals of FILE, and a virtual controller for each host that connects, H4 over the \
        socket. When a host goes, its links stay until the next HCI Reset, as on a real controller.
        """,
        "The log holds a JSON object a line for each packet, with the time, the direction and the addresses.",
      ], options: ["listen", "seed", "log"] + shown, takesRecipes: true),
    Command(
      name: "help", arguments: "[COMMAND|FILE.ble]", summary: "explain a command, or the inputs of a recipe", options: ["color"],
      takesRecipes: true),
    Command(
      name: "completions", arguments: "bash|zsh|fish", summary: "print completions for a shell", verbs: ["bash", "zsh", "fish"]),
    Command(name: "version", arguments: "", summary: "print the version"),
  ]

  static func option(_ name: String) -> Option? { options.first { $0.name == name } }

  static func option(short: Character) -> Option? { options.first { $0.short == short } }

  static func command(_ name: String) -> Command? { commands.first { $0.name == name } }

  static func options(of command: Command) -> [Option] { (command.options + ["help"]).compactMap { option($0) } }

  /// Exit codes for the help and the man page.
  static let exitCodes: [(code: String, meaning: String)] = [
    ("0", "done, and nothing failed unhandled"),
    ("1", "the recipe's own work failed, or a handler failed during the run"),
    ("2", "wrong command line, missing input, or a recipe that cannot be opened"),
    ("3", "the recipe has errors; nothing was sent"),
    ("4", "an expect failed"),
    ("5", "a scan found nothing"),
    ("6", "could not connect, or lost the link"),
    ("7", "refused by the device, or it has no such thing"),
    ("8", "timed out: within, --time-limit"),
    ("9", "adapter: none, not there, or broken"),
    ("10", "the outcome of an effect is unknown (unsure)"),
    ("11", "checkpoint: locked, changed, unreadable, unwritable, disk full"),
    ("12", "a defect of tooth itself"),
    ("20-99", "the recipe's own: stop with code, fail … with code"),
    ("130, 143", "ended by SIGINT, SIGTERM"),
  ]
}
