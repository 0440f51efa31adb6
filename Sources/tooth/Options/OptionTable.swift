import Vocabulary

/// The whole command line as data.
enum OptionTable {
  static let options: [Option] = [
    Option(
      "adapter", value: "WHERE",
      "the controller. hci0 or an address: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix:PATH, tcp:HOST:PORT or serial:DEVICE[@BAUD]: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim:FILE: the peripherals of FILE, simulated in this process; sim:demo needs no file"
    ),
    Option("take", "use the adapter even if other programs have links on it; this disconnects them", variable: false),
    Option("listen", value: "WHERE", "where hosts connect: unix:PATH or tcp:HOST:PORT", variable: false),
    Option(
      "controller", value: "KIND",
      "what virtual controllers the hosts get: legacy (Bluetooth 4.2, the default), extended (Bluetooth 5.2, with extended advertising and the 2M PHY), coded (extended, with the Coded PHY), privacy (extended, with a resolving list of 8 devices) or unaddressed (legacy, without a public address)",
      variable: false, choices: ["legacy", "extended", "coded", "privacy", "unaddressed"]),
    Option(
      "as", value: "NAME",
      "name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters",
      variable: false),
    Option("keep-going", "continue after an entry that failed; the exit code is that of the first failure"),
    Option("fresh", "start from the top, even if an earlier run could continue", variable: false),
    Option(
      "as-started", "continue with the recipe as it was when the run started, even if its files have changed or are gone",
      variable: false),
    Option(
      "repl-at-end", "on a terminal: open a prompt when the recipe ends, with its names and links", variable: false),
    Option(
      "repl-on-failure",
      "on a terminal: open a prompt where the recipe fails; retry repeats the statement, quit exits with the code of the failure",
      variable: false),
    Option("no-listen", "at a prompt: do not scan for devices or discover attributes between entries"),
    Option("e", short: "e", value: "LINE", "a line of the recipe; may be repeated", repeats: true, variable: false),
    Option(
      "output", value: "FORMAT", "how values are printed on stdout: text, json (one object a line) or csv",
      choices: ["text", "json", "csv"],
      in: Dictionary(
        uniqueKeysWithValues: withoutCSV.map { ($0, "how results are printed on stdout: text or json (one object a line)") })),
    Option(
      "csv-escape",
      "in CSV, put a ' before text that a spreadsheet would read as a formula: it begins with = + - or @ and is not a number"),
    Option(
      "time-limit", value: "DURATION", "stop after this time with exit code 8",
      in: ["scan": "listen for this long; default 10s"]),
    Option(
      "clock", value: "KIND",
      "real or virtual; virtual needs sim: and --time-limit, and jumps from event to event instead of waiting",
      choices: ["real", "virtual"]),
    Option("seed", value: "N", "random seed of the simulation; the same seed gives the same run"),
    Option(
      "state", value: "DIR", "folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth",
      isFile: true),
    Option("checkpoint-age", value: "DURATION", "do not continue from checkpoints that are older; default 24h"),
    Option(
      "wait-lock", value: "DURATION",
      "if another process is working on the same run, wait this long for it to end, then exit 11; default 0"),
    Option("checkpoint-sync", value: "DURATION", "write commits to the disk at least this often; default 1s"),
    Option(
      "strict", "stop at the first unhandled failure, even in a handler", in: ["check": "treat warnings as errors"]),
    Option(
      "secret", value: "NAME=VALUE",
      "value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines", repeats: true, variable: false
    ),
    Option("allow", value: "WHAT", "what a recipe from stdin or -e may do: run, write-files=DIR, or none", repeats: true),
    Option("capture", value: "FILE", "record every HCI packet as btsnoop, without keys and secrets", isFile: true),
    Option("log", value: "FILE", "write a line of JSON for every packet in the air", variable: false, isFile: true),
    Option("direct", "use the adapter in this process, without a keeper; a kill then loses the links"),
    Option(
      "keeper",
      "use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel"),
    Option("keep", value: "DURATION", "how long a keeper stays after its last client disconnects; default 10s"),
    Option("hold", value: "DURATION", "how long a keeper holds the links of a client that died; default 10min"),
    Option(
      "private-address", value: "DURATION",
      "use a private address instead of the adapter's own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address",
      // The range of the controller's timeout (Vol 4, Part E, 7.8.45).
      range: ("1s to 1h", .seconds(1)...(.hours(1)))),
    Option(
      "identity", value: "stored",
      "use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address",
      choices: ["stored"]),
    Option("force", "do it even while clients are connected", variable: false),
    Option(
      "all", "", variable: false,
      in: [
        "disconnect": "end all links, including those of other programs", "forget": "remove every bond",
        "runs": "list every run instead of the newest 20, and show the whole history",
      ]),
    Option(
      "rebond", "pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one",
      variable: false),
    Option(
      "passkey", value: "N|@FILE",
      "the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes",
      variable: false),
    Option(
      "confirm", value: "yes|N",
      "answer the questions of a pairing: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them",
      variable: false),
    Option(
      "min-key-size", value: "N",
      "the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed"),
    Option(
      "oob", value: "FILE|HEX",
      "out-of-band data of the device, from an NFC tag or a label, which proves who it is: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal",
      variable: false, isFile: true),
    Option(
      "give-oob", value: "FILE",
      "write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing",
      variable: false, isFile: true),
    Option("bluez", "export: write the files of bluetoothd", variable: false),
    Option("replace", "import, export: replace bonds that exist", variable: false),
    Option("html", value: "FILE", "show: write the run as a page with a picture", variable: false, isFile: true),
    Option("coded", "also listen on the LE Coded PHY (long range), for half of the time", variable: false),
    Option("survey", value: "FILE", "write the signal of each device over time as a page (HTML)", variable: false, isFile: true),
    Option("link", "show: explain from the last packets why the link was lost", variable: false),
    Option("user", "make it a service of this user, even for root", variable: false),
    Option("no-start", "write the unit, but do not enable or start it", variable: false),
    Option("print", "print the unit instead of writing it", variable: false),
    Option("fix", "apply every fix that leaves no choice, and write the file if it then has fewer problems", variable: false),
    Option("dry-run", "show what --fix would change, and write nothing", variable: false),
    Option("check", "change nothing, and exit 1 if a file is not formatted", variable: false),
    Option("name", value: "GLOB", "run only the tests whose name matches", variable: false),
    Option("jobs", value: "N", "run this many tests at once; default 1", variable: false),
    Option(
      "kill", value: "HOW",
      "repeat each test once before and once after every effect of the recipes that it starts: the recipe is killed there and resumed. HOW is kept (the links survive the kill; the default), direct (they do not) or sample:N (only at N effects)",
      variable: false, bare: "kept"),
    Option("chaos", value: "N", "repeat each test under N seeds of radio and adapter faults", variable: false),
    Option("tap", "print the results as TAP", variable: false),
    Option("junit", value: "FILE", "write the results as JUnit XML", variable: false, isFile: true),
    Option(
      "within", value: "DURATION",
      "how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation", variable: false),
    Option("show-recipe", "print the recipe that the command would run, and do nothing else", variable: false),
    Option("bytes", "print the bytes instead of the decoded value", variable: false),
    Option("hex", value: "DIGITS", "write these bytes: \"01 ff\"", variable: false),
    Option("file", value: "FILE", "write the content of this file", variable: false, isFile: true),
    Option("text", value: "TEXT", "write this text as UTF-8", variable: false),
    Option("without-response", "send the write without waiting for an answer", variable: false),
    Option(
      "when-unsure", value: "POLICY", "what to do if the answer to the write is lost: fail (the default), repeat, verify or skip",
      variable: false, choices: ["fail", "repeat", "verify", "skip"]),
    Option("count", value: "N", "stop after this many values", variable: false),
    Option("times", "print the time at which each value arrived before it", variable: false),
    Option("plot", "also draw the values on stderr: as they arrive on a terminal, otherwise at the end", variable: false),
    Option("field", value: "FIELD", "the field that --plot draws; default the first that is a number", variable: false),
    Option("read", "also read every value that can be read", variable: false),
    Option("quiet", short: "q", "print only errors on stderr"),
    Option("verbose", short: "v", "also print debug lines and attribute operations on stderr; -vv adds packets in hex"),
    Option("raw", "print control characters from a device as they are, even on a terminal"),
    Option("events", "with --output json: also print events on stdout (progress, connections, failures)"),
    Option("diagnostics", value: "FORMAT", "how errors and warnings are shown: text or json", choices: ["text", "json"]),
    Option("color", value: "WHEN", "colour on stderr: auto, always or never", choices: ["auto", "always", "never"]),
    Option("ascii", "draw with ASCII characters only"),
    Option(
      "sort", value: "ORDER", "order the table on a terminal by signal (the default), by name, or with new devices first",
      variable: false,
      choices: ["signal", "name", "new"]),
    Option("plain", "print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1"),
    Option("help", short: "h", "show help", variable: false),
  ]

  private static let shown = ["quiet", "verbose", "diagnostics", "color", "ascii", "plain"]
  private static let running =
    [
      "adapter", "take", "direct", "keeper", "keep", "hold", "private-address", "identity", "output", "events", "csv-escape", "raw",
      "time-limit", "clock", "seed",
      "capture",
      "secret", "allow",
      "strict",
    ]
  /// Options that a command that continues a run must repeat.
  static let repeated = [
    "adapter", "take", "direct", "keeper", "keep", "hold", "private-address", "identity", "output", "events", "csv-escape", "raw",
    "allow",
    "strict", "rebond", "min-key-size", "state",
  ]
  private static let pairing = ["rebond", "passkey", "confirm", "oob", "give-oob", "min-key-size"]
  private static let once = ["within", "coded", "show-recipe"] + pairing + running + ["state"] + shown
  private static let oneShot = """
    The device is an address, an alias (tooth alias) or a name. A name is looked up by scanning for at most 30 seconds. A name \
    with * or ? picks the strongest device that matches. If several devices have the name, read, watch, info and clone take the \
    first that is heard; write, pair and forget listen for another one for 2 seconds, and exit 1 if there is one. If a keeper is \
    connected to several devices with that name, every command exits 1. --coded also looks for devices on the LE Coded PHY (long \
    range). The command runs a small recipe without a checkpoint; --show-recipe prints it. If another tooth holds the adapter, it \
    waits for --within (10 s by default).
    """
  private static let keeping = ["state", "checkpoint-age", "checkpoint-sync", "wait-lock"]

  static let commands: [Command] = [
    Command(
      name: "run", arguments: "FILE.ble|- [--INPUT VALUE …]", summary: "run a recipe, or continue where it was killed",
      details: [
        "Runs a recipe. Its inputs are options; tooth help FILE.ble lists them. A dash reads the recipe from stdin, and -e LINE gives its lines.",
        """
        If the last run was killed, crashed or was ended by SIGTERM, or if the machine went down, run continues where it was, and a line on \
        stderr says where. If it finished, stopped, failed or was interrupted with Ctrl-C, run starts from the top. A run is identified by the \
        path of its recipe and the values of its inputs, or by the name given with --as. It \
        keeps the values that its inputs had at its start. Recipes from stdin and -e keep no checkpoint without --as. \
        With -e, the value of the last statement is printed unless it is named with as.
        """,
        """
        Ctrl-C at its terminal, or kill PID, ends a run: on stop runs, and its links are closed. tooth status lists the runs with \
        their processes. From cron, --quiet leaves only errors in the mail, and --wait-lock waits for a run of the same recipe \
        that is still running: */10 * * * * tooth run FILE.ble --quiet --wait-lock 30s. tooth service installs a recipe as a \
        service of systemd.
        """,
      ],
      options: running + pairing + ["as", "fresh", "as-started", "repl-at-end", "repl-on-failure", "no-listen", "e"] + keeping
        + shown,
      takesRecipes: true),
    Command(
      name: "resume", arguments: "FILE.ble|ID [--INPUT VALUE …]",
      summary: "continue a run that was interrupted, failed or killed",
      details: [
        "Continues even after Ctrl-C and after a failure, when run would start from the top. Name the run by its recipe or its ID (tooth runs), or by the beginning of one of them."
      ],
      options: running + pairing + ["as", "as-started", "repl-at-end", "repl-on-failure", "no-listen"]
        + keeping.filter { $0 != "checkpoint-age" } + shown,
      takesRecipes: true),
    Command(
      name: "do", arguments: "STATEMENT [then STATEMENT …]", summary: "run statements of the language",
      details: [
        """
        The words form a recipe without a checkpoint; the word then separates its lines: tooth do scan for heart_rate then connect then read \
        battery_level. The value of the last statement is printed unless it is named with as.
        """,
        """
        The shell removes quotes, so a word that contains a space counts as a text, and so does the word after hex. Characters such as ( ; > \
        and | have a meaning for the shell: put statements that use them in single quotes, or use tooth run -e.
        """,
      ], options: ["coded", "show-recipe"] + pairing + running + ["state"] + shown),
    Command(
      name: "read", arguments: "DEVICE ATTRIBUTE …", summary: "read values from a device",
      details: [
        "Prints the value, decoded by its format, or the bytes with --bytes. Several attributes give one record.",
        "An attribute is a name like battery_level, a UUID, SERVICE/NAME, NAME[1] for the second of two, or 'handle 0x0016'.",
        oneShot,
      ], options: ["bytes"] + once),
    Command(
      name: "write", arguments: "DEVICE ATTRIBUTE VALUE", summary: "write a value to a device",
      details: [
        """
        The value is an expression of the language, such as 'u8(1)' or 'u8(1) + u16(600)'; --hex, --text and --file take its place. If the \
        attribute has a format, it encodes a number or a word. The name of the device must not contain * or ?, so that the device is unambiguous.
        """, oneShot,
      ], options: ["hex", "text", "file", "without-response", "when-unsure"] + once),
    Command(
      name: "watch", arguments: "DEVICE ATTRIBUTE …", summary: "print values as a device sends them",
      details: [
        """
        Subscribes and prints each value until Ctrl-C, --time-limit or --count. If the link is lost, tooth connects again. With \
        --count and one attribute, a lost link is a failure, and so are 30 s without a value. With several attributes each value \
        is a record with the name of its attribute.
        """, oneShot,
      ], options: ["count", "times", "plot", "field"] + once),
    Command(
      name: "info", arguments: "DEVICE", summary: "list the services and characteristics of a device",
      details: [
        """
        Discovers everything. On a terminal it draws the services and their characteristics as a tree; elsewhere, and with --plain, it \
        prints a record for each characteristic: its service, name, handle, UUID and properties.
        """,
        oneShot,
      ],
      options: ["read"] + once),
    Command(
      name: "clone", arguments: "DEVICE", summary: "print a device as a peripheral that can be served",
      details: [
        """
        Prints a recipe with a peripheral that has the name, the advertisement, the services and the present values of the device: tooth \
        clone "Strap 7" >strap.ble. tooth serve strap.ble puts the copy on the air, --adapter sim:strap.ble simulates it, and handlers can be \
        added to it.
        """,
        """
        clone copies what can be read, not how the device behaves. A value that needs encryption is recognized only if the device \
        refuses to give it, so clone a device before you pair with it. Of the advertisement, the appearance, the PHY, and all but \
        the first entry of manufacturer and service data are not copied.
        """, oneShot,
      ], options: once),
    Command(
      name: "pair", arguments: "DEVICE", summary: "pair with a device, or encrypt the link with its bond",
      details: [
        """
        Makes a bond and keeps it in the state folder; every command encrypts its later links with it. If the device has forgotten \
        its bond, the exit code is 7; --rebond pairs again. A device that claims the identity of another paired device is refused \
        even with --rebond. First remove that bond: tooth forget with the address in the error.
        """,
        """
        On a terminal, pair asks for the code that the device shows, and for consent to a device that cannot prove who it is. Elsewhere \
        --passkey and --confirm answer; without them it pairs without a code. With --oob the device proves who it is with data that \
        did not come over the air. With --give-oob tooth writes data for the device, and a device that has read them is authenticated; on a \
        terminal pair waits until you say that it has them. At the end pair prints a record with address and bonded.
        """, oneShot,
      ], options: once),
    Command(
      name: "forget", arguments: "DEVICE|--all", summary: "remove the bond with a device",
      details: [
        """
        Removes the bond from the disk and closes the link that it encrypts. The device keeps its half of the bond until you remove it there, \
        too. --all removes every bond with this adapter. A bond with another adapter stays and is reported; if there are only such bonds, \
        the exit code is 9.
        """, oneShot,
      ], options: ["all"] + once.filter { !pairing.contains($0) }),
    Command(
      name: "bonds", arguments: "[DEVICE|import PATH|export DIR]", summary: "list the devices that adapters are paired with",
      details: [
        """
        Reads the state folder; needs no adapter and never shows a key. The keeper of a system service has a folder of its own: \
        as root, add --state /var/lib/tooth-keeper.
        """,
        """
        import reads the bonds of bluetoothd (/var/lib/bluetooth, an adapter or a device in it, or an info file) or those of another state \
        folder. A bond belongs to the address of an adapter: the folders ADAPTER/DEVICE name both. Keys for classic Bluetooth and for \
        signatures are left out, and so are blocked devices. A device that cannot be imported is skipped with a warning. The exit code is 2 \
        if you named that device, or if nothing could be imported.
        """,
        """
        export copies all bonds into a folder that import reads, or with --bluez into the files of bluetoothd, which reads its own when it \
        starts. Only the owner can read the files. A bond that exists is kept unless --replace is given.
        """,
      ], options: ["state", "bluez", "replace", "output"] + shown, verbs: ["import", "export"]),
    Command(
      name: "repl", arguments: "[FILE.ble] [--INPUT VALUE …]", summary: "run statements as they are typed",
      details: [
        """
        Reads statements from stdin and runs each as soon as it is complete. A line that begins a block or leaves a bracket open \
        continues on the next line. An expression is a statement, too: its value is printed, as are the results of read, wait for, \
        scan for, ask, run and calls. Names, handlers, timers and links last until the input ends or you enter quit. With \
        FILE.ble, its declarations, constants and handlers exist from the start; its body is not run.
        """,
        """
        A statement that fails ends the session with its exit code, unless --keep-going is given. let may give an existing name another value, \
        and procedures, formats and handlers may be declared at any time. input, remember, use, include, peripheral, test, on line and \
        restart belong in recipes.
        """,
        """
        With --output json each entry, and each word of the prompt, gives an object: entry (its number), state (done, failed, \
        cancelled, refused), value, and failure. With --as NAME the session keeps a checkpoint: after a kill, the next tooth repl \
        --as NAME finishes the entry that was running and then reads its own input. If you repeat an entry, it runs again.
        """,
        """
        On a terminal it is a prompt; tooth without a command opens it too. While another prompt uses the same state folder, the \
        session is called prompt-2. The line is edited by GNU readline if libreadline.so.8 is installed: Tab completes \
        words, devices, attributes, fields of values and files, and inserts the fix of a refused entry; arrows bring back earlier entries. ● after the name of the device means connected, ◐ being connected, ○ not connected. A failure ends \
        only its entry. Ctrl-C cancels the entry in progress, or clears the line; Ctrl-D and quit close the links and exit. help lists the words \
        of the prompt: undo takes back what an entry declared, retry runs a failed one again, save recipe FILE writes the session as a recipe, \
        services lists what a device has, and events off \
        hides events that no handler takes. The session is named prompt (with FILE.ble prompt-FILE) unless --as names it: after a kill or a lost terminal the next prompt continues it, \
        unless --fresh is given. Entries are kept in prompt_history in the state folder, but not those that begin with a space or mention a \
        secret; TOOTH_HISTORY= keeps none.
        """,
        """
        For 60 seconds after a key, the prompt listens for devices and discovers the attributes of a connected one, so that Tab can complete \
        them. It does so between entries only, and gives way to every statement and to every attempt to connect; --no-listen turns it off.
        """,
      ], options: running + pairing + ["as", "fresh", "keep-going", "no-listen"] + keeping + shown, takesRecipes: true),
    Command(
      name: "serve", arguments: "FILE.ble [PERIPHERAL] [--INPUT VALUE …]", summary: "put a peripheral on the air",
      details: [
        """
        Serves a peripheral of the file on an adapter: advertises, answers centrals and runs its handlers until Ctrl-C. Statements and \
        handlers outside the peripheral are ignored. Without PERIPHERAL the file must have exactly one.
        """,
        """
        Like a run, it continues where it was when it was killed, with its values. Through a keeper it also keeps its links and \
        subscribers; in the meantime the keeper advertises and answers from the stored values. --direct serves without a keeper.
        """,
      ], options: running + pairing.filter { $0 != "rebond" } + ["as", "fresh"] + keeping + shown, takesRecipes: true),
    Command(
      name: "alias", arguments: "[NAME DEVICE|drop NAME]", summary: "give a device a name of your own",
      details: [
        """
        Without arguments, lists the aliases. An alias can be given instead of an address or a name wherever a command takes a device: read, \
        write, watch, info, do, scan, pair and forget. A recipe in a file declares such a name itself: let NAME = ADDRESS.
        """
      ], options: ["state", "output"] + shown, verbs: ["drop"]),
    Command(
      name: "status", arguments: "", summary: "show adapters, keepers, links and runs on one page",
      details: [
        "Lists the adapters, the links of their keepers and who they are for, and the runs that are running or can continue."
      ],
      options: ["state", "output"] + shown),
    Command(
      name: "decode", arguments: "FORMAT HEX …|FILE.btsnoop",
      summary: "show which bytes of a value become which field, or why links were lost",
      details: [
        """
        FORMAT is a built-in format: the name or UUID of a characteristic (heart_rate_measurement, 0x2A37) or of an advertising format \
        (ibeacon). If the bytes do not match it, decode stops at that byte, says why, and exits 1.
        """,
        """
        For a capture (--capture, btmon -w), decode reports each lost link, failed connection and refusal: the reason in words, what the device \
        sent last, what went unanswered, the signal strength before, and the usual causes.
        """,
      ], options: ["output"] + shown),
    Command(
      name: "names", arguments: "WORD …|UUID", summary: "search the names of services, characteristics, descriptors and formats",
      details: [
        "Prints each name with a part that begins with the words, together with its kind, UUID and format. Exits 1 if there is none."
      ],
      options: ["output"] + shown),
    Command(
      name: "runs", arguments: "[show [RUN]|drop RUN …]", summary: "list runs, show one, or delete one",
      details: [
        """
        Without a verb, lists the newest 20 runs, or all with --all: ID, state with exit code, when each was last active, how long it took, and \
        its recipe with its inputs. RUN is the ID, the path of the recipe, the name (the ID without its last digits), or the beginning of one of these; an exact \
        match takes precedence. An idle run records that it is alive \
        once a minute, so a kill may have come up to a minute after its last activity.
        """,
        """
        show prints the checkpoint of a run (by default the newest), the failure that ended it, and the command that continues it. drop deletes \
        it; values of remember stay for other runs of the recipe. show --link explains why the run lost its link; a keeper gives its \
        packets only to its own user and to root.
        """,
        """
        show also prints the history of the run, the newest 20 lines or all with --all: links, losses, failures, and when no process worked on \
        it; a timeline of the values that devices sent; and the last 20 lines of log and warn. When a recipe is started again, the newest 20 failures of its earlier runs stay: \
        show prints three of them, and all with --all. --html FILE writes the same as one page with a picture.
        """,
      ], options: ["all", "link", "html", "state", "output"] + shown, verbs: ["show", "drop"]),
    Command(
      name: "check", arguments: "FILE.ble …", summary: "report errors and warnings in a recipe",
      details: [
        "Prints errors and warnings with their lines and what to write instead. Names and types are checked once every line can be read. Exits 3 if there is an error. Sends nothing.",
        """
        It also lists the files that append, save and file() of a correct recipe name. Their names are relative to the working directory in \
        which the run was first started.
        """,
        """
        Every fix that is shown has been tried: it solves its problem and causes no new one. --fix applies each fix that is the only one for its \
        problem and conflicts with no other, and replaces the file if it then has fewer problems. A line that cannot be read counts more than \
        others, because it hides them. --dry-run prints the difference instead. The exit code describes the file as it is afterwards.
        """,
      ],
      options: ["strict", "fix", "dry-run"] + shown, takesRecipes: true),
    Command(
      name: "fmt", arguments: "FILE.ble …|-", summary: "format recipes",
      details: [
        """
        Indents blocks by two spaces, puts one space between words, aligns the comments of neighbouring lines, keeps at most one empty line, \
        and names the block at the end of a long one. Lines end with LF, and there is no byte order mark. Nothing else changes. A recipe that cannot be read is left as it is, with exit code 3.
        """,
        "A dash formats stdin to stdout. --check changes nothing, names the files that are not formatted, and exits 1 if there are any.",
      ],
      options: ["check"] + shown, takesRecipes: true),
    Command(
      name: "explain", arguments: "[CODE]", summary: "explain an error, a warning or a failure by its code",
      details: [
        "Prints what a code such as T231 means, why it is an error, and a wrong and a right example. Without a code it lists all of them. For an exit code such as 7 it prints the meaning, and the failures that end with it. For the kind of a failure, such as not_found, it prints the page of its code."
      ], options: ["color"]),
    Command(
      name: "scan", arguments: "[WHAT]", summary: "show the devices in range",
      details: [
        "Prints each device when it is first heard: address, signal strength, name, services. Listens for 10 seconds, or for --time-limit. WHAT is a name, which may have * and ?, an alias, an address or a service.",
        "On a terminal, shows the devices as a live table with the strongest on top; a device not heard for 30 s is removed. At the end the whole table is printed.",
        "--output json adds what else a device advertises: company and maker (of the first manufacturer data), manufacturer and service_data (in hexadecimal), tx_power, appearance, and value, decoded by a built-in format such as ibeacon.",
        "If stdout is not a terminal, the fields are separated by TABs, with - for a missing one: address, dBm, name, services, manufacturer.",
        "--survey FILE also writes an HTML page with the signal of each device over time, one column per second. It needs no other file and runs no script.",
      ],
      options: [
        "sort", "survey", "coded", "adapter", "take", "direct", "keeper", "keep", "hold", "time-limit", "output", "csv-escape",
        "clock", "seed",
        "capture",
        "state",
      ] + shown),
    Command(
      name: "adapters", arguments: "", summary: "list the kernel's Bluetooth adapters",
      details: [
        "Prints each adapter with its address, its bus and its state: off, on, in use by a program, blocked by rfkill. Changes nothing and needs no privileges, except to name the programs of other users."
      ], options: ["output"] + shown),
    Command(
      name: "adapter", arguments: "reset", summary: "reset a controller that another program left in a bad state",
      details: [
        """
        reset sends HCI Reset to the controller and waits for the answer. If none comes, it opens the connection again and sends Reset once \
        more. This ends all links, scans and advertising in the controller. Exits 0 if the controller answered, else 9.
        """,
        """
        If a keeper has the adapter, the keeper resets it, and its clients continue afterwards. Add --force if clients are connected, and --take \
        if other programs have links through the kernel.
        """,
      ], options: ["adapter", "take", "force", "output"] + shown, verbs: ["reset"]),
    Command(
      name: "disconnect", arguments: "--all", summary: "end the links that another program left in a controller",
      details: [
        """
        A program that dies may leave links in its controller, and their devices then cannot be found. disconnect finds these links, ends each, \
        and resets the controller. It prints each link by its handle, and by its address if the kernel or a keeper knows it. A controller that \
        does not list its links is only reset. This ends them too, but their devices notice it later.
        """,
        """
        If a keeper has the adapter, the keeper ends its links. Add --force to end those of connected clients, and --take to end links of other \
        programs through the kernel.
        """,
      ], options: ["adapter", "all", "take", "force", "output"] + shown),
    Command(
      name: "keeper", arguments: "[status|run|stop]", summary: "show, run or stop the keeper of an adapter",
      details: [
        """
        A keeper is a process that owns one adapter for all programs that use it: runs and scans are its clients and share it. It starts with \
        its first client and exits --keep after the last disconnects. A client that ends normally closes its links. The links of a client that \
        was killed stay open; if it starts again within --hold, it gets them back with every event that it missed. If a group shares \
        a keeper, each user may use at most 8 links, so that one user cannot take all of them.
        """,
        """
        status shows the keeper of the adapter, or exits 9 if there is none. run is the keeper itself, in the foreground. stop ends it; add \
        --force if clients are connected; a run that used it then starts another one. A keeper that a client starts stores bonds in the usual state folder of its user, whatever --state \
        the client has, because all its clients share them.
        """,
      ], options: ["adapter", "take", "keep", "hold", "private-address", "identity", "force", "output"] + shown,
      verbs: ["status", "run", "stop"]),
    Command(
      name: "service", arguments: "[status|install FILE.ble [-- --INPUT VALUE …]|remove NAME]",
      summary: "run a recipe as a systemd service",
      details: [
        """
        install checks the recipe, writes a unit for it, and enables and starts the unit. For root it is a system service, which runs \
        unprivileged; for others it is a user service (loginctl enable-linger lets it run without a login). What follows -- is passed to the run: \
        its inputs, and options like --adapter. The service is named after the recipe, or with --as. An existing one is replaced.
        """,
        "install also prints where the files of the recipe go, and which secrets it needs with their LoadCredential= lines. remove stops the service and deletes its unit, but not its checkpoint. status lists the services and what each is doing.",
      ], options: ["as", "user", "no-start", "print", "output"] + shown, verbs: ["status", "install", "remove"]),
    Command(
      name: "doctor", arguments: "", summary: "find out why Bluetooth does not work",
      details: [
        """
        Checks the kernel, rfkill, the privileges of this process, bluetoothd, the adapters, keepers, systemd and its tooth services, \
        checkpoints and bonds. Each line says what is good or bad, and how to fix what is bad. Changes nothing. Exits 0 if all is good, 9 if the kernel, \
        privileges or adapter are bad, 11 if the checkpoints are, else 1.
        """
      ], options: ["state", "output"] + shown),
    Command(
      name: "test", arguments: "[FILE.ble|DIR …]", summary: "run the tests of recipes in a simulated world",
      details: [
        """
        Runs the test blocks of the files, or of all files below a folder. Without arguments, it searches the working directory. \
        Each test has an empty world, a directory and a virtual clock of its own, and needs no adapter. Exits 0 if all passed, 4 \
        if some failed, and 3 if a file has errors.
        """,
        """
        --kill finds out whether the recipes survive being killed: each test is repeated for every effect of each recipe that it starts, which is \
        killed there and resumed at once. Every expect must hold each time. --kill=direct loses the links with the process; --kill=sample:N and \
        --kill=direct:N kill at N of the effects only.
        """,
        """
        --chaos repeats each test while packets are lost, links drop, devices vanish and the adapter is unplugged. A recipe may fail then, but it \
        must not hang or write anything twice, and an expect may fail only if a recipe has failed, or if a fault hit a link or a scan of the test \
        itself. Each limit of a wait in the test is 10 virtual minutes longer, because faults delay what it waits for. A failure prints the \
        seed that repeats it.
        """,
        """
        With --output json each test gives an object: file, name, line, outcome (passed or failed), virtual_ms (of its virtual clock), ms (of the \
        processor), runs, seed, and failure, which is null or has message, circumstance (null, or what was done to the recipe), repeat \
        (the options that repeat it) and report. --junit writes its file beside any of these forms.
        """,
        """
        In a test, run starts no program. r.commands lists the programs that would have been started, and start recipe sets their results. \
        --allow run starts them.
        """,
      ], options: ["name", "seed", "jobs", "kill", "chaos", "allow", "tap", "junit", "output"] + shown, takesRecipes: true),
    Command(
      name: "air", arguments: "FILE.ble --listen WHERE", summary: "serve the peripherals of a file on a simulated air",
      details: [
        """
        Runs a simulated air with the peripherals of FILE, and with a virtual controller for each host that connects and speaks H4 over the \
        socket. When a host disconnects, its links stay until the next HCI Reset, as on a real controller.
        """,
        "--log writes a line of JSON for each packet, with the time, the direction and the addresses.",
      ], options: ["listen", "controller", "seed", "log"] + shown, takesRecipes: true),
    Command(
      name: "help", arguments: "[COMMAND|FILE.ble]", summary: "explain a command, or the inputs of a recipe", options: ["color"],
      takesRecipes: true),
    Command(
      name: "completions", arguments: "bash|zsh|fish", summary: "print completions for a shell", verbs: ["bash", "zsh", "fish"]),
    Command(name: "version", arguments: "", summary: "print the version"),
  ]

  /// Pairs of options that contradict each other, or of which one makes the other useless.
  static let exclusive: [(String, String, hint: String?)] = [
    ("quiet", "verbose", nil), ("direct", "keeper", nil), ("fresh", "as-started", nil), ("link", "html", nil),
    ("direct", "keep", "--direct uses no keeper"), ("direct", "hold", "--direct uses no keeper"),
    ("without-response", "when-unsure", "a write without response has no answer that could be lost"),
  ]

  /// Options that have no effect without this value of another option.
  static let needing: [(option: String, other: String, value: String)] = [
    ("events", "output", "json"), ("csv-escape", "output", "csv"),
  ]

  /// Options that are only valid with these second words of a command.
  static let ofVerbs: [(command: String, option: String, verbs: [String])] = [
    ("runs", "html", ["show"]), ("runs", "link", ["show"]), ("bonds", "bluez", ["export"]),
    ("bonds", "replace", ["import", "export"]), ("service", "as", ["install"]), ("service", "print", ["install"]),
    ("service", "no-start", ["install"]), ("keeper", "force", ["stop"]), ("keeper", "take", ["run"]),
    ("keeper", "keep", ["run"]), ("keeper", "hold", ["run"]), ("keeper", "private-address", ["run"]),
    ("keeper", "identity", ["run"]),
  ]

  /// Commands whose results are not a table.
  static let withoutCSV = ["test", "status", "keeper", "adapter", "disconnect"]

  /// Whether `run` or `resume` has an option of this name.
  static func isOfRuns(_ name: String) -> Bool {
    name == "help" || commands.contains { ["run", "resume"].contains($0.name) && $0.options.contains(name) }
  }

  // By index, because passing an option to a closure copies it, and it is large.
  static func option(_ name: String) -> Option? { options.indices.first { options[$0].name == name }.map { options[$0] } }

  static func command(_ name: String) -> Command? { commands.first { $0.name == name } }

  static func options(of command: Command) -> [Option] { (command.options + ["help"]).compactMap { option($0) } }

  /// Exit codes for the help and the man page.
  static let exitCodes: [(code: String, meaning: String)] = [
    ("0", "finished without an unhandled failure"),
    (
      "1",
      "the recipe's own work failed, a handler failed during the run, a search found nothing (names), a check failed (fmt, decode), or several devices have the name that was given"
    ),
    (
      "2",
      "wrong command line, missing input, a recipe that cannot be opened, or an unknown run, alias, bond or format"
    ),
    ("3", "the recipe has errors; nothing was sent"),
    ("4", "an expect failed, or tests failed"),
    ("5", "a scan found nothing"),
    ("6", "could not connect, or lost the link"),
    ("7", "refused by the device, or the device has no such attribute"),
    ("8", "timed out: within, --time-limit"),
    ("9", "adapter: none found, not accessible, or broken"),
    ("10", "the outcome of an effect is unknown (unsure)"),
    ("11", "checkpoint: locked, changed, unreadable, unwritable, disk full"),
    ("12", "a bug in tooth"),
    ("20-99", "chosen by the recipe: stop with code, fail … with code"),
    ("129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM"),
  ]
}
