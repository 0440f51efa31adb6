/// The whole command line as data.
enum OptionTable {
  static let options: [Option] = [
    Option(
      "adapter", value: "WHERE",
      "the controller: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix:PATH, tcp:HOST:PORT or serial:DEVICE[@BAUD] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim:FILE (the peripherals of FILE, simulated in this process; sim:demo needs no file)"
    ),
    Option("take", "use the adapter even if other programs have links on it; this disconnects them", twin: false),
    Option("listen", value: "WHERE", "where hosts connect: unix:PATH or tcp:HOST:PORT", twin: false),
    Option(
      "controller", value: "KIND",
      "what virtual controllers the hosts get: legacy (Bluetooth 4.2, the default) or extended (Bluetooth 5.2, with extended advertising and the 2M PHY)",
      twin: false, choices: ["legacy", "extended"]),
    Option(
      "as", value: "NAME", "name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters",
      twin: false),
    Option("keep-going", "continue after an entry that failed; the exit code is that of the first failure"),
    Option("fresh", "start from the top, even if an earlier run could continue", twin: false),
    Option("as-started", "continue with the text with which the run was started, not with the edited file", twin: false),
    Option(
      "repl-at-end", "at a terminal: open a prompt when the recipe has come to its end, with its names and links", twin: false),
    Option(
      "repl-on-failure",
      "at a terminal: open a prompt where the recipe fails; retry does the statement again, quit ends with the exit code of the failure",
      twin: false),
    Option("e", short: "e", value: "LINE", "a line of the recipe; may be repeated", repeats: true, twin: false),
    Option(
      "output", value: "FORMAT", "how values are printed on stdout: text, json (one object a line) or csv",
      choices: ["text", "json", "csv"]),
    Option(
      "csv-escape",
      "in CSV, put a ' before text that a spreadsheet would read as a formula: it begins with = + - or @ and is not a number"),
    Option("time-limit", value: "DURATION", "stop after this time with exit code 8 (scan: with what was found)"),
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
    Option("strict", "stop at the first unhandled failure, even in a handler; check: treat warnings as errors"),
    Option(
      "secret", value: "NAME=VALUE",
      "value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines", repeats: true, twin: false
    ),
    Option("allow", value: "WHAT", "what a recipe from stdin or -e may do: run, write-files=DIR, or none", repeats: true),
    Option("capture", value: "FILE", "record every HCI packet as btsnoop, without keys and secrets", isFile: true),
    Option("log", value: "FILE", "write a line of JSON for every packet in the air", twin: false, isFile: true),
    Option("direct", "use the adapter in this process, without a keeper; a kill then loses the links"),
    Option(
      "keeper",
      "use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel"),
    Option("keep", value: "DURATION", "how long a keeper stays after its last client disconnects; default 10s"),
    Option("hold", value: "DURATION", "how long a keeper holds the links of a client that died; default 10min"),
    Option("force", "do it even if clients are connected", twin: false),
    Option(
      "all", "disconnect: every link, whoever made it; forget: every bond; runs: every run instead of the newest 20", twin: false),
    Option(
      "rebond", "pair again with a device that has forgotten its bond; the new bond must be as good as the old one", twin: false),
    Option(
      "passkey", value: "N|@FILE",
      "the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes",
      twin: false),
    Option(
      "confirm", value: "yes|N",
      "answer for a run without a person who could say it: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them",
      twin: false),
    Option("html", value: "FILE", "runs show: write the run as a page with a picture", twin: false, isFile: true),
    Option("survey", value: "FILE", "write the signal of each device over time as a page (HTML)", twin: false, isFile: true),
    Option("link", "runs show: say why the link was lost, from the last packets of the run", twin: false),
    Option("user", "make it a service of this user, even for root", twin: false),
    Option("no-start", "write the unit, but do not enable or start it", twin: false),
    Option("print", "print the unit instead of writing it", twin: false),
    Option("fix", "apply every fix that leaves no choice, and write the file if it then has fewer problems", twin: false),
    Option("dry-run", "show what --fix would change, and write nothing", twin: false),
    Option("check", "change nothing, and exit 1 if a file is not formatted", twin: false),
    Option("name", value: "GLOB", "only the tests with such a name", twin: false),
    Option("jobs", value: "N", "run so many tests at once; default 1", twin: false),
    Option(
      "kill", value: "HOW",
      "repeat each test once before and once after every effect of the recipes that it starts, killed there and resumed: kept (with its links, also without HOW), direct (without), sample:N (only N of them)",
      twin: false, bare: "kept"),
    Option("chaos", value: "N", "repeat each test under N seeds of radio and adapter faults", twin: false),
    Option("tap", "print the results as TAP", twin: false),
    Option("junit", value: "FILE", "write the results as JUnit XML", twin: false, isFile: true),
    Option(
      "within", value: "DURATION",
      "how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation", twin: false),
    Option("show-recipe", "print the recipe that the command would run, and do nothing else", twin: false),
    Option("bytes", "print the bytes instead of the decoded value", twin: false),
    Option("hex", value: "DIGITS", "write these bytes: \"01 ff\"", twin: false),
    Option("file", value: "FILE", "write the content of this file", twin: false, isFile: true),
    Option("text", value: "TEXT", "write this text as UTF-8", twin: false),
    Option("without-response", "send the write without waiting for an answer", twin: false),
    Option(
      "when-unsure", value: "POLICY", "what to do if the answer to the write is lost: fail (the default), repeat, verify or skip",
      twin: false, choices: ["fail", "repeat", "verify", "skip"]),
    Option("count", value: "N", "stop after so many values", twin: false),
    Option("times", "print the time at which each value arrived before it", twin: false),
    Option("plot", "also draw the values on stderr, while they come on a terminal, else at the end", twin: false),
    Option("field", value: "FIELD", "the field of a value that --plot draws; default the first one that is a number", twin: false),
    Option("read", "also read every value that can be read", twin: false),
    Option("quiet", short: "q", "print only errors on stderr"),
    Option("verbose", short: "v", "also print debug lines and attribute operations on stderr; -vv adds packets in hex"),
    Option("raw", "print control characters from a device as they are, even on a terminal"),
    Option("events", "with --output json: also print events on stdout (progress, connections, failures)"),
    Option("diagnostics", value: "FORMAT", "how errors and warnings are shown: text or json", choices: ["text", "json"]),
    Option("color", value: "WHEN", "colour on stderr: auto, always or never", choices: ["auto", "always", "never"]),
    Option("ascii", "draw with ASCII characters only"),
    Option(
      "sort", value: "ORDER", "scan: order the table on a terminal by signal (the default), by name, or with new devices first",
      twin: false,
      choices: ["signal", "name", "new"]),
    Option("plain", "scan: print each device in words, for screen readers; also if TERM is dumb or ACCESSIBLE is 1"),
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
  private static let pairing = ["rebond", "passkey", "confirm"]
  private static let once = ["within", "show-recipe"] + pairing + running + ["state"] + shown
  private static let oneShot = """
    The device is an address, an alias (tooth alias) or a name. A name is found by scanning, within 30 seconds. With * or ? in it, the \
    strongest device that fits is used. The command runs a small recipe without a checkpoint, which --show-recipe prints.
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
        path of its recipe and the values of its inputs, or by the name given with --as. Recipes from stdin and -e keep no checkpoint without --as. \
        With -e, the value of the last statement is printed unless it is named with as.
        """,
      ], options: running + pairing + ["as", "fresh", "as-started", "repl-at-end", "repl-on-failure", "e"] + keeping + shown,
      takesRecipes: true),
    Command(
      name: "resume", arguments: "FILE.ble|ID [--INPUT VALUE …]",
      summary: "continue a run that was interrupted, failed or killed",
      details: [
        "Continues even after Ctrl-C and after a failure, when run would start from the top. Name the run by its recipe or by its ID (tooth runs)."
      ],
      options: running + pairing + ["as", "as-started", "repl-at-end", "repl-on-failure"] + keeping + shown, takesRecipes: true),
    Command(
      name: "do", arguments: "STATEMENT [then STATEMENT …]", summary: "run statements of the language",
      details: [
        """
        The words are a recipe without a checkpoint; the word then ends a line: tooth do scan for heart_rate then connect then read \
        battery_level. The value of the last statement is printed unless it is named with as.
        """,
        """
        A word with a space and no quotes in it is a text, and so is the word after hex, because the shell removes quotes. Characters such \
        as ( ; > and | belong to the shell: put statements with them in single quotes, or use tooth run -e.
        """,
      ], options: ["show-recipe"] + pairing + running + ["state"] + shown),
    Command(
      name: "read", arguments: "DEVICE ATTRIBUTE …", summary: "read values of a device",
      details: [
        "Prints the value, decoded by its format; of several attributes a record. --bytes prints the bytes.",
        "An attribute is a name like battery_level, a UUID, SERVICE/NAME, NAME[1] for the second of two, or 'handle 0x0016'.",
        oneShot,
      ], options: ["bytes"] + once),
    Command(
      name: "write", arguments: "DEVICE ATTRIBUTE VALUE", summary: "write a value to a device",
      details: [
        """
        The value is an expression of the language, such as 'u8(1)' or 'u8(1) + u16(600)'; --hex, --text and --file take its place. If the \
        attribute has a format, a number or a word is encoded by it. The device must be one: its name may not have * or ? in it.
        """, oneShot,
      ], options: ["hex", "text", "file", "without-response", "when-unsure"] + once),
    Command(
      name: "watch", arguments: "DEVICE ATTRIBUTE …", summary: "print values as a device sends them",
      details: [
        """
        Subscribes and prints each value, until Ctrl-C, --time-limit or, with --count, after so many values. A lost link is made again; with \
        --count of one attribute it is a failure, and so are 30 s without a value. Of several attributes each value is a record with the name of its attribute.
        """, oneShot,
      ], options: ["count", "times", "plot", "field"] + once),
    Command(
      name: "info", arguments: "DEVICE", summary: "list the services and characteristics of a device",
      details: [
        "Discovers everything and prints a record for each characteristic: its service, name, handle, UUID and properties.",
        oneShot,
      ],
      options: ["read"] + once),
    Command(
      name: "pair", arguments: "DEVICE", summary: "pair with a device, or encrypt the link with its bond",
      details: [
        """
        Makes a bond, which is kept in the state folder: every later link to the device is encrypted, by whichever command. A device that \
        has forgotten its bond exits 7; with --rebond it is paired with again.
        """,
        """
        At a terminal a code that the device shows is asked for, and so is consent to a device that cannot prove who it is. Elsewhere \
        --passkey and --confirm answer; without them the device is paired with as it is, without a code.
        """, oneShot,
      ], options: once),
    Command(
      name: "forget", arguments: "DEVICE|--all", summary: "remove the bond with a device",
      details: [
        """
        Removes the bond from the disk, and closes a link that it encrypts. The device keeps its own half until it is told to forget it, too. \
        --all removes every bond that tooth bonds lists.
        """, oneShot,
      ], options: ["all"] + once.filter { !pairing.contains($0) }),
    Command(
      name: "bonds", arguments: "[DEVICE]", summary: "list the devices that adapters are paired with",
      details: [
        """
        Reads the state folder, without an adapter, and never shows a key. The keeper of a service keeps its bonds in its own folder: \
        as root, add --state /var/lib/tooth-keeper.
        """
      ], options: ["state", "output"] + shown),
    Command(
      name: "repl", arguments: "[FILE.ble] [--INPUT VALUE …]", summary: "run statements as they are typed",
      details: [
        """
        Reads statements from stdin and runs each as soon as it is whole. A line that begins a block, or leaves a bracket open, is continued by \
        the next lines. A value is a statement, too: it is printed, and so is what read, wait for, scan for, ask, run and calls give. Names, \
        handlers, timers and links stay until the end of the input, or until quit. With FILE.ble its declarations, constants and handlers are \
        there from the start; its body is not run.
        """,
        """
        A statement that fails ends the session with its exit code; with --keep-going it ends only itself. let of a name that exists gives it \
        another value, and a procedure, format or handler may be declared at any time. input, remember, use, include, peripheral, test, on line \
        and restart belong in recipes.
        """,
        """
        With --output json each entry, and each word of the prompt, gives an object: entry (its number), state (done, failed, cancelled, refused), \
        value, and failure. With --as NAME the session \
        keeps a checkpoint: after a kill, the next tooth repl --as NAME finishes the entry that was under way, and goes on with the next. Its \
        input is what comes then: entries that are given again are run again.
        """,
        """
        On a terminal it is a prompt; tooth alone is the same. The line is edited by GNU readline if libreadline.so.8 is installed: Tab completes \
        words, devices, attributes, fields of values and files, and takes the fix of an entry that was refused; arrows bring back earlier entries. ● after the name of the device means connected, ◐ being connected, ○ not connected. A failure ends \
        only its entry. Ctrl-C cancels the entry under way, or clears the line; Ctrl-D and quit close the links and leave. help lists the words \
        of the prompt: undo takes back what an entry declared, retry runs a failed one again, save recipe FILE writes the session as a recipe, \
        services lists what a device has, and events off \
        hides what no handler takes. The session is named prompt (with FILE.ble prompt-FILE) unless --as names it: after a kill or a lost terminal the next prompt goes on with it, \
        unless --fresh is given. Entries are kept in prompt_history in the state folder, but not those that begin with a space or mention a \
        secret; TOOTH_HISTORY= keeps none.
        """,
      ], options: running + pairing + ["as", "fresh", "keep-going"] + keeping + shown, takesRecipes: true),
    Command(
      name: "serve", arguments: "FILE.ble [PERIPHERAL] [--INPUT VALUE …]", summary: "put a peripheral on the air",
      details: [
        """
        Serves a peripheral of the file on an adapter: it advertises, answers centrals, and runs its handlers, until Ctrl-C. Statements and \
        handlers outside of the peripheral are set aside. A file with one peripheral needs no name.
        """,
        """
        Like a run, it continues where it was when it was killed, with its values. Through a keeper it also finds its links and subscribers \
        again; in the meantime the keeper advertises and answers from the stored values. --direct serves without a keeper.
        """,
      ], options: running + ["as", "fresh"] + keeping + shown, takesRecipes: true),
    Command(
      name: "alias", arguments: "[NAME DEVICE|drop NAME]", summary: "give a device a name of your own",
      details: [
        """
        Without words it lists the aliases. An alias stands for an address or a name in read, write, watch, info and do. A recipe in a file \
        declares such a name itself: let NAME = ADDRESS.
        """
      ], options: ["state", "output"] + shown, verbs: ["drop"]),
    Command(
      name: "status", arguments: "", summary: "show adapters, keepers, links and runs on one page",
      details: [
        "Lists the adapters, what their keepers are connected to and for whom, and the runs that are running or wait to continue."
      ],
      options: ["state", "output"] + shown),
    Command(
      name: "decode", arguments: "FORMAT HEX …|FILE.btsnoop",
      summary: "show which bytes of a value become which field, or why links were lost",
      details: [
        """
        FORMAT is a built-in format: the name or UUID of a characteristic (heart_rate_measurement, 0x2A37) or of an advertising format \
        (ibeacon). If the bytes do not fit it, the rows end there, a message says why, and the exit code is 1.
        """,
        """
        Of a capture (--capture, btmon -w) it tells each lost link, failed connection and refusal: the reason in words, what the device sent \
        last, what was not answered, the signal before, and what usually causes it.
        """,
      ], options: ["output"] + shown),
    Command(
      name: "names", arguments: "WORD …|UUID", summary: "search the names of services, characteristics, descriptors and formats",
      details: ["Prints each name in which the words begin a part, with its kind, UUID and format. Exits 1 if there is none."],
      options: ["output"] + shown),
    Command(
      name: "runs", arguments: "[show [RUN]|drop RUN …]", summary: "list runs, show one, or delete one",
      details: [
        """
        Without a verb it lists the newest 20 runs, or all with --all: ID, state with exit code, when each last worked, how long it took, and its \
        recipe with its inputs. A RUN is named by its ID, by the path of its recipe, or by the beginning of either.
        """,
        """
        show prints the contents of a checkpoint, the failure that ended the run, and the command to continue with; without a RUN, of the newest. drop deletes it; values of \
        remember stay for other runs of the recipe. show --link tells why the link was lost that ended a run; a \
        keeper gives its packets only to its own user and to root.
        """,
        """
        show also prints what happened to the run: links, losses, failures, and when no process was at it, the newest 20 lines or all with \
        --all, and the values that devices sent, by time. --html FILE writes the same as one page with a picture.
        """,
      ], options: ["all", "link", "html", "state", "output"] + shown, verbs: ["show", "drop"]),
    Command(
      name: "check", arguments: "FILE.ble …", summary: "report every error and warning in a recipe",
      details: [
        "Prints every error and warning with its line and what to write instead, or that there are none. Exits 3 if there is an error. Sends nothing.",
        """
        Every fix that is shown has been tried: it mends its problem and makes no new one. --fix applies those that leave no choice and \
        replaces the file if it then has fewer problems; fixes that conflict are left alone. --dry-run prints the difference instead. The exit \
        code is that of the file as it is afterwards.
        """,
      ],
      options: ["strict", "fix", "dry-run"] + shown, takesRecipes: true),
    Command(
      name: "fmt", arguments: "FILE.ble …|-", summary: "lay recipes out in the one usual way",
      details: [
        """
        Indents blocks by two spaces, puts one space between words, aligns the comments of neighbouring lines, keeps at most one empty line, \
        and names the block at the end of a long one. Nothing else changes. A recipe that cannot be read is left as it is, with exit code 3.
        """,
        "A dash formats stdin to stdout. --check changes nothing, names the files that are not formatted, and exits 1 if there are any.",
      ],
      options: ["check"] + shown, takesRecipes: true),
    Command(
      name: "explain", arguments: "[CODE]", summary: "explain an error, a warning or a failure by its code",
      details: [
        "Prints what a code such as T231 means, why it is an error, and a wrong and a right example. Without a code it lists all of them."
      ], options: ["color"]),
    Command(
      name: "scan", arguments: "[WHAT]", summary: "show the devices in range",
      details: [
        "Prints each device when it is first heard: address, signal strength, name, services. Listens for 10 seconds, or for --time-limit. WHAT is a name, which may have * and ?, an alias, an address or a service.",
        "On a terminal the devices are a table that is drawn again while the scan goes on, with the strongest on top; what is not heard for 30 s leaves it. The whole table stays at the end.",
        "If stdout is not a terminal, the fields have TABs between them, with - for what is missing: address, dBm, name, services, maker.",
        "--survey FILE also writes a page with the signal of each device over time, a column a second. It needs no other file and runs no script.",
      ],
      options: [
        "sort", "survey", "plain", "adapter", "take", "direct", "keeper", "keep", "hold", "time-limit", "output", "clock", "seed",
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
        its first client and exits some time after the last. A client that ends normally closes its links. The links of a client that was killed \
        stay open; if it starts again within --hold, it finds them with everything that happened meanwhile. Of a keeper \
        that a group shares, each user may have or wait for at most 8 links, so that nobody takes all of them.
        """,
        """
        status shows the keeper of the adapter, or exits 9 if there is none. run is the keeper itself, in the foreground. stop ends it; add \
        --force if clients are connected.
        """,
      ], options: ["adapter", "take", "keep", "hold", "force", "output"] + shown, verbs: ["status", "run", "stop"]),
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
        Checks the kernel, rfkill, the privileges of this process, bluetoothd, the adapters, keepers, systemd and its tooth services, and the \
        checkpoints. Each line is good or bad; a bad one says how to fix it. Changes nothing. Exits 0 if all is good, 9 if the kernel, \
        privileges or adapter are bad, 11 if the checkpoints are, else 1.
        """
      ], options: ["state", "output"] + shown),
    Command(
      name: "test", arguments: "[FILE.ble|DIR …]", summary: "run the tests of recipes in a simulated world",
      details: [
        """
        Runs the test blocks of the files, or of all files below a folder; without a name, below the working directory. Each test has an empty \
        world, a directory and a virtual clock of its own, and needs no adapter. Exits 0 if all passed, 4 if some failed, and 3 if a file has errors.
        """,
        """
        --kill finds out whether the recipes survive being killed: each test is repeated for every effect of each recipe that it starts, which is \
        killed there and resumed at once. Every expect must hold each time. --kill=direct loses the links with the process.
        """,
        """
        --chaos repeats each test while packets are lost, links drop, devices vanish and the adapter is unplugged. A recipe may fail then, but it \
        must not hang, nothing may be written twice, and an expect may fail only if a recipe has failed. A failure prints the seed that repeats it.
        """,
        """
        run starts no program in a test: what would have been started is in r.commands, and start recipe says how it ends. --allow run starts it.
        """,
      ], options: ["name", "seed", "jobs", "kill", "chaos", "allow", "tap", "junit", "output"] + shown, takesRecipes: true),
    Command(
      name: "air", arguments: "FILE.ble --listen WHERE", summary: "serve the peripherals of a file on a simulated air",
      details: [
        """
        Runs a simulated air with the peripherals of FILE, and with a virtual controller for each host that connects and speaks H4 over the \
        socket. When a host disconnects, its links stay until the next HCI Reset, as on a real controller.
        """,
        "The log has a line of JSON for each packet, with the time, the direction and the addresses.",
      ], options: ["listen", "controller", "seed", "log"] + shown, takesRecipes: true),
    Command(
      name: "help", arguments: "[COMMAND|FILE.ble]", summary: "explain a command, or the inputs of a recipe", options: ["color"],
      takesRecipes: true),
    Command(
      name: "completions", arguments: "bash|zsh|fish", summary: "print completions for a shell", verbs: ["bash", "zsh", "fish"]),
    Command(name: "version", arguments: "", summary: "print the version"),
  ]

  /// Whether the commands that take inputs as options have one of this name.
  static func isOfRuns(_ name: String) -> Bool {
    name == "help" || commands.contains { ["run", "resume"].contains($0.name) && $0.options.contains(name) }
  }

  static func option(_ name: String) -> Option? { options.first { $0.name == name } }

  static func option(short: Character) -> Option? { options.first { $0.short == short } }

  static func command(_ name: String) -> Command? { commands.first { $0.name == name } }

  static func options(of command: Command) -> [Option] { (command.options + ["help"]).compactMap { option($0) } }

  /// Exit codes for the help and the man page.
  static let exitCodes: [(code: String, meaning: String)] = [
    ("0", "finished without an unhandled failure"),
    ("1", "the recipe's own work failed, a handler failed during the run, or a search (names) found nothing"),
    (
      "2",
      "wrong command line, missing input, a recipe that cannot be opened, or a run, alias, bond or format of a name that is not known here"
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
    ("130, 143", "ended by SIGINT, SIGTERM"),
  ]
}
