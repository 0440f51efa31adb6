#compdef tooth
# zsh completion for tooth, made by "tooth completions zsh"; do not edit.
local -a commands
commands=(
  'run:run a recipe, or go on where it was killed'
  'resume:go on with a run that was interrupted, failed or killed'
  'runs:list the runs, show one, or delete one for good'
  'check:report everything that is wrong with a recipe'
  'scan:show the devices in range'
  'adapters:list the kernel'\''s Bluetooth adapters'
  'adapter:reset a controller that something else left in a bad state'
  'disconnect:end the links that something else left in a controller'
  'keeper:show, run or end the process that keeps an adapter'
  'service:run a recipe as a service of systemd'
  'doctor:look for what keeps Bluetooth from working'
  'air:put the peripherals of a file on a simulated air'
  'help:explain a command, or the inputs of a recipe'
  'completions:print completions for a shell'
  'version:print the version'
)
if ((CURRENT == 2)); then
  _describe command commands
  return
fi
case $words[2] in
  run)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--direct[host the adapter inside this process, not in a keeper; a kill then loses the links]' \
      '--keeper[host the adapter in a keeper, which is started when there is none; a run on an adapter of the kernel does so by itself]' \
      '--keep[how long a keeper stays when its last client has left; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--events[with --output json\: what happens goes to stdout too (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before a text that a spreadsheet would take for a formula\: one that begins with = + - or @ and is no number]' \
      '--raw[print text on a terminal as it is\: control characters from a device are not escaped]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[virtual\: with sim\:, jump from event to event instead of waiting; needs --time-limit]:KIND:(real virtual)' \
      '--seed[the chance of a simulated air; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet (btsnoop, keys and secrets blotted out)]:FILE:_files' \
      '*--secret[the value of a secret input; others see it in the list of processes, so better TOOTH_SECRET_NAME]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first failure that nothing handles, also in a handler; check\: warnings are errors]' \
      '--as[name the run; needed for stdin and -e, a moved file, one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, whatever the last run left]' \
      '--as-started[continue with the text that the run was started with]' \
      '*-e[a line of recipe; may be repeated]:LINE:' \
      '--state[where checkpoints are kept; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[older checkpoints are not picked up by run; default 24h]:DURATION:' \
      '--checkpoint-sync[how soon a commit is on the disk; default 1s]:DURATION:' \
      '--wait-lock[wait so long for the end of another process that is at the same run, then give up with exit code 11; default is not at all]:DURATION:' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  resume)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--direct[host the adapter inside this process, not in a keeper; a kill then loses the links]' \
      '--keeper[host the adapter in a keeper, which is started when there is none; a run on an adapter of the kernel does so by itself]' \
      '--keep[how long a keeper stays when its last client has left; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--events[with --output json\: what happens goes to stdout too (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before a text that a spreadsheet would take for a formula\: one that begins with = + - or @ and is no number]' \
      '--raw[print text on a terminal as it is\: control characters from a device are not escaped]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[virtual\: with sim\:, jump from event to event instead of waiting; needs --time-limit]:KIND:(real virtual)' \
      '--seed[the chance of a simulated air; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet (btsnoop, keys and secrets blotted out)]:FILE:_files' \
      '*--secret[the value of a secret input; others see it in the list of processes, so better TOOTH_SECRET_NAME]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first failure that nothing handles, also in a handler; check\: warnings are errors]' \
      '--as[name the run; needed for stdin and -e, a moved file, one recipe on two adapters]:NAME:' \
      '--as-started[continue with the text that the run was started with]' \
      '--state[where checkpoints are kept; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[older checkpoints are not picked up by run; default 24h]:DURATION:' \
      '--checkpoint-sync[how soon a commit is on the disk; default 1s]:DURATION:' \
      '--wait-lock[wait so long for the end of another process that is at the same run, then give up with exit code 11; default is not at all]:DURATION:' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  runs)
    _arguments \
      '--state[where checkpoints are kept; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '2:word:(show drop)'
    ;;
  check)
    _arguments \
      '--strict[stop at the first failure that nothing handles, also in a handler; check\: warnings are errors]' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  scan)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--direct[host the adapter inside this process, not in a keeper; a kill then loses the links]' \
      '--keeper[host the adapter in a keeper, which is started when there is none; a run on an adapter of the kernel does so by itself]' \
      '--keep[how long a keeper stays when its last client has left; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--clock[virtual\: with sim\:, jump from event to event instead of waiting; needs --time-limit]:KIND:(real virtual)' \
      '--seed[the chance of a simulated air; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet (btsnoop, keys and secrets blotted out)]:FILE:_files' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]'
    ;;
  adapters)
    _arguments \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]'
    ;;
  adapter)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--force[also with clients there]' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '2:word:(reset)'
    ;;
  disconnect)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--all[every link, whosever it is]' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--force[also with clients there]' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]'
    ;;
  keeper)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[take the adapter even when other programs have links on it; the links are cut]' \
      '--keep[how long a keeper stays when its last client has left; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--force[also with clients there]' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '2:word:(status run stop)'
    ;;
  service)
    _arguments \
      '--as[name the run; needed for stdin and -e, a moved file, one recipe on two adapters]:NAME:' \
      '--user[a service of this user, also for root]' \
      '--no-start[write the service, but neither enable nor start it]' \
      '--print[show what would be written, and write nothing]' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '2:word:(status install remove)'
    ;;
  doctor)
    _arguments \
      '--state[where checkpoints are kept; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[what print writes to stdout\: text, json (an object a line) or csv; values only]:FORMAT:(text json csv)' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]'
    ;;
  air)
    _arguments \
      '--listen[where hosts connect\: unix\:PATH or tcp\:HOST\:PORT]:WHERE:' \
      '--seed[the chance of a simulated air; the same seed gives the same run]:N:' \
      '--log[a JSON line for every packet in the air]:FILE:_files' \
      '--quiet[on stderr errors only]' \
      '--verbose[on stderr debug lines and what goes over the link, too; twice (-vv)\: packets in hex]' \
      '--diagnostics[how findings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[frames of - and |]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  help)
    _arguments \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  completions)
    _arguments \
      '--help[show help]' \
      '2:word:(bash zsh fish)'
    ;;
  version)
    _arguments \
      '--help[show help]'
    ;;
esac
