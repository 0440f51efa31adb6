#compdef tooth
# zsh completion for tooth, made by "tooth completions zsh"; do not edit.
local -a commands
local program=$words[1]
_tooth_words() {
  local -a found
  found=(${(f)"$($program __complete plain "tooth ${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)"})
  found=(${found:#:*})
  (( $#found )) && compadd -a found
}
commands=(
  'run:run a recipe, or continue where it was killed'
  'resume:continue a run that was interrupted, failed or killed'
  'do:run statements of the language'
  'read:read values of a device'
  'write:write a value to a device'
  'watch:print values as a device sends them'
  'info:list the services and characteristics of a device'
  'pair:pair with a device, or encrypt the link with its bond'
  'forget:remove the bond with a device'
  'bonds:list the devices that adapters are paired with'
  'repl:run statements as they are typed'
  'serve:put a peripheral on the air'
  'alias:give a device a name of your own'
  'status:show adapters, keepers, links and runs on one page'
  'decode:show which bytes of a value become which field, or why links were lost'
  'names:search the names of services, characteristics, descriptors and formats'
  'runs:list runs, show one, or delete one'
  'check:report every error and warning in a recipe'
  'fmt:lay recipes out in the one usual way'
  'explain:explain an error, a warning or a failure by its code'
  'scan:show the devices in range'
  'adapters:list the kernel'\''s Bluetooth adapters'
  'adapter:reset a controller that another program left in a bad state'
  'disconnect:end the links that another program left in a controller'
  'keeper:show, run or stop the keeper of an adapter'
  'service:run a recipe as a systemd service'
  'doctor:find out why Bluetooth does not work'
  'test:run the tests of recipes in a simulated world'
  'air:serve the peripherals of a file on a simulated air'
  'help:explain a command, or the inputs of a recipe'
  'completions:print completions for a shell'
  'version:print the version'
)
if ((CURRENT == 2)); then
  _describe command commands
  return
fi
# _arguments takes the first word for the command.
shift words
(( CURRENT-- ))
case $words[1] in
  run)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--as[name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, even if an earlier run could continue]' \
      '--as-started[continue with the text with which the run was started, not with the edited file]' \
      '--repl-at-end[at a terminal\: open a prompt when the recipe has come to its end, with its names and links]' \
      '--repl-on-failure[at a terminal\: open a prompt where the recipe fails; retry does the statement again, quit ends with the exit code of the failure]' \
      '*-e[a line of the recipe; may be repeated]:LINE:' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[do not continue from checkpoints that are older; default 24h]:DURATION:' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  resume)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--as[name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--as-started[continue with the text with which the run was started, not with the edited file]' \
      '--repl-at-end[at a terminal\: open a prompt when the recipe has come to its end, with its names and links]' \
      '--repl-on-failure[at a terminal\: open a prompt where the recipe fails; retry does the statement again, quit ends with the exit code of the failure]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[do not continue from checkpoints that are older; default 24h]:DURATION:' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  do)
    _arguments \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  read)
    _arguments \
      '--bytes[print the bytes instead of the decoded value]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  write)
    _arguments \
      '--hex[write these bytes\: "01 ff"]:DIGITS:' \
      '--text[write this text as UTF-8]:TEXT:' \
      '--file[write the content of this file]:FILE:_files' \
      '--without-response[send the write without waiting for an answer]' \
      '--when-unsure[what to do if the answer to the write is lost\: fail (the default), repeat, verify or skip]:POLICY:(fail repeat verify skip)' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  watch)
    _arguments \
      '--count[stop after so many values]:N:' \
      '--times[print the time at which each value arrived before it]' \
      '--plot[also draw the values on stderr, while they come on a terminal, else at the end]' \
      '--field[the field of a value that --plot draws; default the first one that is a number]:FIELD:' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  info)
    _arguments \
      '--read[also read every value that can be read]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  pair)
    _arguments \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  forget)
    _arguments \
      '--all[disconnect\: every link, whoever made it; forget\: every bond; runs\: every run instead of the newest 20]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  bonds)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  repl)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be as good as the old one]' \
      '--passkey[the six digits that a device shows or has on its label, for a run without a person who could type them; with @, the first line of a file, which other users cannot see in a list of processes]:N|@FILE:' \
      '--confirm[answer for a run without a person who could say it\: yes pairs whatever the device shows, and with a device that cannot prove who it is; six digits pair only if the device shows them]:yes|N:' \
      '--as[name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, even if an earlier run could continue]' \
      '--keep-going[continue after an entry that failed; the exit code is that of the first failure]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[do not continue from checkpoints that are older; default 24h]:DURATION:' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  serve)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--as[name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, even if an earlier run could continue]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[do not continue from checkpoints that are older; default 24h]:DURATION:' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  alias)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  status)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  decode)
    _arguments \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  names)
    _arguments \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  runs)
    _arguments \
      '--all[disconnect\: every link, whoever made it; forget\: every bond; runs\: every run instead of the newest 20]' \
      '--link[runs show\: say why the link was lost, from the last packets of the run]' \
      '--html[runs show\: write the run as a page with a picture]:FILE:_files' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  check)
    _arguments \
      '--strict[stop at the first unhandled failure, even in a handler; check\: treat warnings as errors]' \
      '--fix[apply every fix that leaves no choice, and write the file if it then has fewer problems]' \
      '--dry-run[show what --fix would change, and write nothing]' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  fmt)
    _arguments \
      '--check[change nothing, and exit 1 if a file is not formatted]' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  explain)
    _arguments \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  scan)
    _arguments \
      '--sort[scan\: order the table on a terminal by signal (the default), by name, or with new devices first]:ORDER:(signal name new)' \
      '--survey[write the signal of each device over time as a page (HTML)]:FILE:_files' \
      '--plain[scan\: print each device in words, for screen readers; also if TERM is dumb or ACCESSIBLE is 1]' \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--time-limit[stop after this time with exit code 8 (scan\: with what was found)]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  adapters)
    _arguments \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  adapter)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--force[do it even if clients are connected]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '1:word:(reset)'
    ;;
  disconnect)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--all[disconnect\: every link, whoever made it; forget\: every bond; runs\: every run instead of the newest 20]' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--force[do it even if clients are connected]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  keeper)
    _arguments \
      '--adapter[the controller\: hci0 or an address (unless named, one that a keeper has, else the first one without links of other programs), unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\] (H4 to any controller; a serial port with RTS/CTS, at 1000000 baud unless named), or sim\:FILE (the peripherals of FILE, simulated in this process; sim\:demo needs no file)]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--force[do it even if clients are connected]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '1:word:(status run stop)'
    ;;
  service)
    _arguments \
      '--as[name the run; needed for stdin and -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--user[make it a service of this user, even for root]' \
      '--no-start[write the unit, but do not enable or start it]' \
      '--print[print the unit instead of writing it]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '1:word:(status install remove)'
    ;;
  doctor)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]'
    ;;
  test)
    _arguments \
      '--name[only the tests with such a name]:GLOB:' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--jobs[run so many tests at once; default 1]:N:' \
      '--kill=-[repeat each test once before and once after every effect of the recipes that it starts, killed there and resumed\: kept (with its links, also without HOW), direct (without), sample\:N (only N of them)]::HOW:' \
      '--chaos[repeat each test under N seeds of radio and adapter faults]:N:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--tap[print the results as TAP]' \
      '--junit[write the results as JUnit XML]:FILE:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  air)
    _arguments \
      '--listen[where hosts connect\: unix\:PATH or tcp\:HOST\:PORT]:WHERE:' \
      '--controller[what virtual controllers the hosts get\: legacy (Bluetooth 4.2, the default) or extended (Bluetooth 5.2, with extended advertising and the 2M PHY)]:KIND:(legacy extended)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--log[write a line of JSON for every packet in the air]:FILE:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
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
      '1:word:(bash zsh fish)'
    ;;
  version)
    _arguments \
      '--help[show help]'
    ;;
esac
