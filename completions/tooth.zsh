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
  'read:read values from a device'
  'write:write a value to a device'
  'watch:print values as a device sends them'
  'info:list the services and characteristics of a device'
  'clone:print a device as a peripheral that can be served'
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
  'check:report errors and warnings in a recipe'
  'fmt:format recipes'
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
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--as[name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, even if an earlier run could continue]' \
      '--as-started[continue with the recipe as it was when the run started, even if its files have changed or are gone]' \
      '--repl-at-end[on a terminal\: open a prompt when the recipe ends, with its names and links]' \
      '--repl-on-failure[on a terminal\: open a prompt where the recipe fails; retry repeats the statement, quit exits with the code of the failure]' \
      '--no-listen[at a prompt\: do not scan for devices or discover attributes between entries]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  resume)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--as[name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--as-started[continue with the recipe as it was when the run started, even if its files have changed or are gone]' \
      '--repl-at-end[on a terminal\: open a prompt when the recipe ends, with its names and links]' \
      '--repl-on-failure[on a terminal\: open a prompt where the recipe fails; retry repeats the statement, quit exits with the code of the failure]' \
      '--no-listen[at a prompt\: do not scan for devices or discover attributes between entries]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  do)
    _arguments \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  read)
    _arguments \
      '--bytes[print the bytes instead of the decoded value]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  watch)
    _arguments \
      '--count[stop after this many values]:N:' \
      '--times[print the time at which each value arrived before it]' \
      '--plot[also draw the values on stderr\: as they arrive on a terminal, otherwise at the end]' \
      '--field[the field that --plot draws; default the first that is a number]:FIELD:' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  info)
    _arguments \
      '--read[also read every value that can be read]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  clone)
    _arguments \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  pair)
    _arguments \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  forget)
    _arguments \
      '--all[remove every bond]' \
      '--within[how long each step may take; default 30s to find the device, 30s to connect and 10s for each operation]:DURATION:' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--show-recipe[print the recipe that the command would run, and do nothing else]' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  bonds)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--bluez[export\: write the files of bluetoothd]' \
      '--replace[import, export\: replace bonds that exist]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '1:word:(import export)'
    ;;
  repl)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--rebond[pair again with a device that has forgotten its bond; the new bond must be at least as secure as the old one]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--as[name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--fresh[start from the top, even if an earlier run could continue]' \
      '--keep-going[continue after an entry that failed; the exit code is that of the first failure]' \
      '--no-listen[at a prompt\: do not scan for devices or discover attributes between entries]' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--checkpoint-age[do not continue from checkpoints that are older; default 24h]:DURATION:' \
      '--checkpoint-sync[write commits to the disk at least this often; default 1s]:DURATION:' \
      '--wait-lock[if another process is working on the same run, wait this long for it to end, then exit 11; default 0]:DURATION:' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  serve)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--events[with --output json\: also print events on stdout (progress, connections, failures)]' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--raw[print control characters from a device as they are, even on a terminal]' \
      '--time-limit[stop after this time with exit code 8]:DURATION:' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '*--secret[value of a secret input; prefer TOOTH_SECRET_NAME, because other users can see command lines]:NAME=VALUE:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--strict[stop at the first unhandled failure, even in a handler]' \
      '--passkey[the six digits that the device shows or has on its label, for a run that cannot ask for them; @FILE reads them from the first line of a file, which hides them from the list of processes]:N|@FILE:' \
      '--confirm[answer the questions of a pairing\: yes accepts any digits, and also a device that shows none and is not authenticated; six digits accept only a device that shows them]:yes|N:' \
      '--oob[out-of-band data of the device, from an NFC tag or a label, which proves who it is\: the structures 0x1B, 0x22 and 0x23, or 0x10 for legacy pairing, as a file or in hexadecimal]:FILE|HEX:_files' \
      '--give-oob[write out-of-band data of our own for Secure Connections (structures 0x1B, 0x22 and 0x23) to FILE, for the device to read from a tag; it can be used for one pairing]:FILE:_files' \
      '--min-key-size[the shortest key to accept, 7 to 16 bytes; default 16, because shorter keys can be guessed]:N:' \
      '--as[name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  status)
    _arguments \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how results are printed on stdout\: text or json (one object a line)]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]'
    ;;
  runs)
    _arguments \
      '--all[list every run instead of the newest 20, and show the whole history]' \
      '--link[show\: explain from the last packets why the link was lost]' \
      '--html[show\: write the run as a page with a picture]:FILE:_files' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:word:_tooth_words'
    ;;
  check)
    _arguments \
      '--strict[treat warnings as errors]' \
      '--fix[apply every fix that leaves no choice, and write the file if it then has fewer problems]' \
      '--dry-run[show what --fix would change, and write nothing]' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--sort[order the table on a terminal by signal (the default), by name, or with new devices first]:ORDER:(signal name new)' \
      '--survey[write the signal of each device over time as a page (HTML)]:FILE:_files' \
      '--coded[also listen on the LE Coded PHY (long range), for half of the time]' \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--direct[use the adapter in this process, without a keeper; a kill then loses the links]' \
      '--keeper[use the adapter through a keeper and start one if necessary; this is the default on adapters of the kernel]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--time-limit[listen for this long; default 10s]:DURATION:' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--csv-escape[in CSV, put a '\'' before text that a spreadsheet would read as a formula\: it begins with = + - or @ and is not a number]' \
      '--clock[real or virtual; virtual needs sim\: and --time-limit, and jumps from event to event instead of waiting]:KIND:(real virtual)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--capture[record every HCI packet as btsnoop, without keys and secrets]:FILE:_files' \
      '--state[folder for checkpoints; default $STATE_DIRECTORY, $XDG_STATE_HOME/tooth or ~/.local/state/tooth]:DIR:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]'
    ;;
  adapter)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--force[do it even while clients are connected]' \
      '--output[how results are printed on stdout\: text or json (one object a line)]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '1:word:(reset)'
    ;;
  disconnect)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--all[end all links, including those of other programs]' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--force[do it even while clients are connected]' \
      '--output[how results are printed on stdout\: text or json (one object a line)]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]'
    ;;
  keeper)
    _arguments \
      '--adapter[the controller. hci0 or an address\: an adapter of the kernel; the default is one that has a keeper, else the first without links of other programs. unix\:PATH, tcp\:HOST\:PORT or serial\:DEVICE\[@BAUD\]\: any controller that speaks H4, on a serial port with RTS/CTS and at 1000000 baud by default. sim\:FILE\: the peripherals of FILE, simulated in this process; sim\:demo needs no file]:WHERE:' \
      '--take[use the adapter even if other programs have links on it; this disconnects them]' \
      '--keep[how long a keeper stays after its last client disconnects; default 10s]:DURATION:' \
      '--hold[how long a keeper holds the links of a client that died; default 10min]:DURATION:' \
      '--private-address[use a private address instead of the adapter'\''s own, and change it this often, 1s to 1h (usually 15min); only paired devices recognize the adapter. A keeper that is already running keeps its address]:DURATION:' \
      '--identity[use the static random address to which the stored bonds belong, on any adapter, so that bonds survive a new adapter. Adapters without a public address always do. Another adapter that uses the address at the same time keeps it. A keeper that is already running keeps its address]:stored:(stored)' \
      '--force[do it even while clients are connected]' \
      '--output[how results are printed on stdout\: text or json (one object a line)]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '1:word:(status run stop)'
    ;;
  service)
    _arguments \
      '--as[name the run; needed for stdin, for -e, for a file that was moved, and for one recipe on two adapters]:NAME:' \
      '--user[make it a service of this user, even for root]' \
      '--no-start[write the unit, but do not enable or start it]' \
      '--print[print the unit instead of writing it]' \
      '--output[how values are printed on stdout\: text, json (one object a line) or csv]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]'
    ;;
  test)
    _arguments \
      '--name[run only the tests whose name matches]:GLOB:' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--jobs[run this many tests at once; default 1]:N:' \
      '--kill=-[repeat each test once before and once after every effect of the recipes that it starts\: the recipe is killed there and resumed. HOW is kept (the links survive the kill; the default), direct (they do not) or sample\:N (only at N effects)]::HOW:' \
      '--chaos[repeat each test under N seeds of radio and adapter faults]:N:' \
      '*--allow[what a recipe from stdin or -e may do\: run, write-files=DIR, or none]:WHAT:' \
      '--tap[print the results as TAP]' \
      '--junit[write the results as JUnit XML]:FILE:_files' \
      '--output[how results are printed on stdout\: text or json (one object a line)]:FORMAT:(text json csv)' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
      '--help[show help]' \
      '*:recipe:_files -g "*.ble"'
    ;;
  air)
    _arguments \
      '--listen[where hosts connect\: unix\:PATH or tcp\:HOST\:PORT]:WHERE:' \
      '--controller[what virtual controllers the hosts get\: legacy (Bluetooth 4.2, the default), extended (Bluetooth 5.2, with extended advertising and the 2M PHY), coded (extended, with the Coded PHY), privacy (extended, with a resolving list of 8 devices) or unaddressed (legacy, without a public address)]:KIND:(legacy extended coded privacy unaddressed)' \
      '--seed[random seed of the simulation; the same seed gives the same run]:N:' \
      '--log[write a line of JSON for every packet in the air]:FILE:_files' \
      '--quiet[print only errors on stderr]' \
      '--verbose[also print debug lines and attribute operations on stderr; -vv adds packets in hex]' \
      '--diagnostics[how errors and warnings are shown\: text or json]:FORMAT:(text json)' \
      '--color[colour on stderr\: auto, always or never]:WHEN:(auto always never)' \
      '--ascii[draw with ASCII characters only]' \
      '--plain[print in words instead of drawing, for screen readers; the default if TERM is dumb or ACCESSIBLE is 1]' \
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
