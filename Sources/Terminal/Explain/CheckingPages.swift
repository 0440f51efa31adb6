/// Pages of `tooth explain` for text that parses but fails the check, T201 to T254.
enum CheckingPages {
  static let text: StaticString = #"""
    === T201 there is no such name
    The name has no value here: nothing gives it one, it is misspelt, or it gets its value only further down. A
    name gets its value with `let`, with `as`, or as an `input`.
    --- wrong
    let level = 5
    print level, levle
    --- right
    let level = 5
    print level

    === T202 the name already exists
    A name is declared once in its scope. `set` changes it. A procedure may not have the name of a built-in one.
    --- wrong
    let level = 5
    let level = 6
    print level
    --- right
    let level = 5
    set level to 6
    print level

    === T203 there is nothing to change
    `set` changes an existing name. Inputs and peripherals cannot be changed. A new name begins with `let`.
    --- wrong
    set level to 6
    print 1
    --- right
    let level = 6
    print level

    === T204 there is no such procedure
    Neither the recipe nor the language has a procedure of this name. A statement needs no parentheses.
    --- wrong
    print len("abc")
    --- right
    print count("abc")

    === T205 a call has too many or too few values
    A procedure is called with one value for each of its parameters.
    --- wrong
    procedure add(a, b): return a + b
    print add(1)
    --- right
    procedure add(a, b): return a + b
    print add(1, 2)

    === T206 there is no such service, characteristic or company
    A name in the place of an attribute is a `let` of the recipe with a UUID, an `input` of type uuid, or a name of
    the Bluetooth SIG. `0x2A19` and full UUIDs work everywhere too. `scan for` takes a `let` only if its value is
    written there: a text, an address or a UUID.
    --- wrong
    scan for "lamp"
    connect
    read batery_level as level
    print level
    --- right
    scan for "lamp"
    connect
    read battery_level as level
    print level

    === T207 a service is not a characteristic
    Devices advertise services. Values are in the characteristics of a service, which are read, written and
    subscribed to.
    --- wrong
    scan for heart_rate_measurement
    --- right
    scan for heart_rate

    === T208 the value has no such field
    The format of this value, or the kind of the device, is known, and it has no field of this name. The message
    lists the fields that it has.
    --- wrong
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bmp
    reconnect forever
    --- right
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever

    === T210 it is not clear which device is meant
    The recipe connects several devices, and this statement does not say which one it means. Name the device with `of`,
    or put the statement into a `with` block.
    --- wrong
    input left: address
    input right: address
    connect to left
    connect to right
    every 1min
      read battery_level as level
      print level
    end
    wait forever
    --- right
    input left: address
    input right: address
    connect to left
    connect to right
    every 1min
      read battery_level of left as level
      print level
    end
    wait forever

    === T211 nothing is connected here
    The statement talks to a device, and not every path that leads here has connected one. `scan for` and `connect`
    come first.
    --- wrong
    read battery_level as level
    print level
    --- right
    scan for "lamp"
    connect
    read battery_level as level
    print level

    === T212 a setting is wrong or in the wrong place
    `use` and `include` belong at the top of the file, before the first statement, because they apply to the whole
    recipe. The message lists the settings.
    --- wrong
    print 1
    use timeout 20s
    --- right
    use timeout 20s
    print 1

    === T213 a handler would end too early
    A handler is active as long as the block around it. Inside another handler or a procedure, that block ends at
    once, so the handler would never run. Put it at the top level.
    --- wrong
    on connect
      on notify heart_rate_measurement as beat: print beat.bpm
      log "ready"
    end
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    reconnect forever
    --- right
    on connect: log "ready"
    on notify heart_rate_measurement as beat: print beat.bpm
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    reconnect forever

    === T214 this event works only in a peripheral
    `on read`, `on write`, `on subscribe` and `on unsubscribe` are requests of a central to a peripheral. Use
    `on notify` to handle values that a device sends. It works only in a recipe, because a central sends no notifications.
    --- wrong
    scan for "lamp"
    connect
    on write battery_level as level: print level
    reconnect forever
    --- right
    scan for "lamp"
    connect
    subscribe to battery_level
    on notify battery_level as level: print level
    reconnect forever

    === T215 a number does not fit
    The number is outside the range of its type. Other languages would silently cut it off.
    --- wrong
    print u8(300)
    --- right
    print u16(300)

    === T216 a number has no fixed size
    A number can be written as one byte, two or four, and the characteristic has no format that says which. Give
    the size with `u8(1)`, `u16(1)` or another number type.
    --- wrong
    scan for "lamp"
    connect
    write 1 to 0xFFF1
    --- right
    scan for "lamp"
    connect
    write u8(1) to 0xFFF1

    === T217 a recipe can only use exit codes 20 to 99
    The other exit codes of a run have a fixed meaning, which scripts and systemd rely on.
    --- wrong
    stop with code 5
    --- right
    stop with code 25

    === T218 there is no reply that could be lost
    `when unsure` decides what happens when the answer to a write was lost. A write `without response` has none.
    --- wrong
    scan for "lamp"
    connect
    write u8(1) to 0xFFF1 without response when unsure repeat
    --- right
    scan for "lamp"
    connect
    write u8(1) to 0xFFF1 when unsure repeat

    === T219 a name may have no value yet
    A handler may run as soon as the body waits for the first time. A `let` that it uses must come before that.
    --- wrong
    every 1s: print total
    wait 5s
    let total = 0
    wait 5s
    --- right
    let total = 0
    every 1s: print total
    wait 10s

    === T220 this is not supported yet
    The language has this statement, but this version of tooth does not. The recipe is refused before anything is
    sent.
    --- wrong
    scan for "Strap"
    connect
    open channel 5 as data
    --- right
    scan for "Strap"
    connect

    === T221 no value has such a method
    No kind of value has a method of this name.
    --- wrong
    print "abc".uper()
    --- right
    print "abc".upper()

    === T222 there is no loop to leave
    `leave` ends the innermost loop and `skip` its round. Neither is inside a `repeat` or `for each` here.
    --- wrong
    leave
    --- right
    repeat 3 times: leave

    === T223 there is nothing to return from
    `return` belongs in a procedure or a handler. Use `stop` to end the recipe itself. A handler returns no value: in
    `on read` and `on write` of a peripheral, `answer` answers the request.
    --- wrong
    print 1
    return
    --- right
    print 1
    stop

    === T224 this belongs in a peripheral
    `notify`, `indicate`, `update` and `advertise` are what a peripheral does. `answer` and `refuse` need a request,
    in `on read`, `on write` or `on passkey`, or after `wait for passkey`.
    --- wrong
    answer u8(1)
    --- right
    peripheral lamp
      advertise battery_service
      service battery_service
        characteristic battery_level can read
      end
      on read battery_level: answer 80
    end

    === T225 there is no such kind of failure
    `otherwise if` names the kinds of failure that it handles; a misspelt one would never match.
    --- wrong
    try
      fail "no"
    otherwise if usr
      print 1
    end
    --- right
    try
      fail "no"
    otherwise if user
      print 1
    end

    === T226 an input has no such type
    The types are text, number, flag, duration, uuid, address, file, bytes and secret, and the plural of most of
    them for a list.
    --- wrong
    input limit: int
    print limit
    --- right
    input limit: number
    print limit

    === T227 the name of an input is taken
    Inputs are options of the command line, and every command has an option of this name.
    --- wrong
    input adapter: text
    print adapter
    --- right
    input adapter_name: text
    print adapter_name

    === T228 a value has the wrong type or range
    The value as it is written cannot be what is needed here: a time of day, a default of the declared type, or a
    field of `advertise … with`.
    --- wrong
    input limit: number = "ten"
    print limit
    --- right
    input limit: number = 10
    print limit

    === T229 the peripheral has no such attribute, or it cannot do this
    A handler or statement of a peripheral names an attribute that one of its services declares, and does only what
    is declared with `can`.
    --- wrong
    peripheral lamp
      advertise battery_service
      service battery_service
        characteristic battery_level can read
      end
      on write battery_level as level: print level
    end
    --- right
    peripheral lamp
      advertise battery_service
      service battery_service
        characteristic battery_level can read, write
      end
      on write battery_level as level: print level
    end

    === T230 a format makes no sense
    A field has an unknown type, mentions a later field, or cannot be decoded and encoded the same way.
    --- wrong
    format report
      level is uint8
    end
    print 1
    --- right
    format report
      level is u8
    end
    print 1

    === T231 nothing subscribes to this characteristic
    A device sends notifications only after `subscribe to`. Nothing in the recipe subscribes to this characteristic,
    so the handler would never run, and `wait for notify` would wait until its time is over.
    --- wrong
    scan for heart_rate
    connect
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever
    --- right
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever

    === T232 the recipe ends before its handlers can do anything
    A recipe ends when its body ends. A handler needs a statement after its subscription that waits, such as
    `reconnect forever`, `wait forever` or `wait 10min`.
    --- wrong
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    --- right
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat: print beat.bpm
    reconnect forever

    === T233 a procedure that waits needs a line of its own
    While the procedure waits, other handlers run. That must not happen in the middle of an expression, so the call
    is a statement, or all of the right side of `let`, `set` or `return`. What is computed outside any statement, as after
    `where` and `wait until`, may be computed many times: there, a procedure can also not print, store or end anything.
    --- wrong
    procedure level()
      read battery_level as now_is
      return now_is
    end
    scan for "lamp"
    connect
    if level() > 50: print "enough"
    --- right
    procedure level()
      read battery_level as now_is
      return now_is
    end
    scan for "lamp"
    connect
    let now_is = level()
    if now_is > 50: print "enough"

    === T234 this can never run
    `reconnect forever` ends when the recipe disconnects or forgets its devices, and this recipe never does. The
    statements after it would never run, which is probably a mistake.
    --- wrong
    scan for heart_rate
    connect
    reconnect forever
    print "done"
    --- right
    scan for heart_rate
    connect
    reconnect 3 times
    print "done"

    === T235 a duration is out of range
    The pause is zero or negative, or the value is no duration. A timer without a pause would never let anything
    else run. `reconnect` also needs an attempt, and an advertising interval is 20ms to 10.24s.
    --- wrong
    every 0s: print 1
    wait 10s
    --- right
    every 1s: print 1
    wait 10s

    === T236 these values do not go together
    The operator has no meaning for the two values, or a condition is neither true nor false, so the statement would
    always fail. Put a value inside text between braces. Each side of `or` must be a condition of its own. The name of
    a file must be text, and a device must be a device or its address.
    --- wrong
    let level = 4
    if level is 4 or 5: print "good"
    --- right
    let level = 4
    if level is 4 or level is 5: print "good"

    === T237 this is always true, or always false
    Values of two kinds are never equal: a number is not the text of it. A field with meanings gives the word, not the
    number. It is a warning, because the comparison runs.
    --- wrong
    if now().weekday is 1: print "Monday"
    --- right
    if now().weekday is "monday": print "Monday"

    === T240 this can never run
    A statement above never ends, so nothing after it runs. It is a warning, because the statements may be left
    over from an experiment.
    --- wrong
    wait forever
    print "done"
    --- right
    wait 5s
    print "done"

    === T241 few devices advertise this service
    Nearly every device has this service and hardly any advertises it, so the scan would find nothing. Scan by
    name, or for the main service of the device, such as `heart_rate`.
    --- wrong
    scan for battery_service
    --- right
    scan for heart_rate

    === T242 this name is never used
    The value is never used. The name may be misspelt where it is used. A name that begins with `_` may be unused.
    --- wrong
    let level = 5
    print 1
    --- right
    let level = 5
    print level

    === T243 this is probably not what you mean
    A loop never waits and never ends, a signal strength has the wrong sign, or a record has a key twice. In a text,
    `$name` is letters and `{name}` is a value. `1,000` is two values.
    --- wrong
    let n = 0
    repeat forever
      set n to n + 1
    end
    --- right
    let n = 0
    repeat forever
      set n to n + 1
      wait 1s
    end

    === T244 a Bluetooth SIG name means something else here
    The recipe gives another UUID to a name of the Bluetooth SIG. A reader will take it for the official one.
    --- wrong
    let battery_level = 6e400001-b5a3-f393-e0a9-e50e24dcca9e
    scan for "lamp"
    connect
    read battery_level as level
    print level
    --- right
    let lamp_level = 6e400001-b5a3-f393-e0a9-e50e24dcca9e
    scan for "lamp"
    connect
    read lamp_level as level
    print level

    === T245 this format replaces a built-in one
    A format named like a built-in one takes its place in this recipe. It is only a note.
    --- wrong
    format battery_level
      percent is u8
    end
    print 1
    --- right
    format lamp_level
      percent is u8
    end
    print 1

    === T246 `device.services` needs `discover everything`
    tooth discovers only what the recipe uses. To list all services, use `discover everything` first.
    --- wrong
    scan for "lamp"
    connect
    print device.services
    --- right
    scan for "lamp"
    connect
    discover everything
    print device.services

    === T247 this number has a name
    The UUID belongs to the Bluetooth SIG. Its name says what it is.
    --- wrong
    scan for 0x180D
    --- right
    scan for heart_rate

    === T248 a secret is shown
    The value of a secret input is hidden wherever it is printed, logged or written to a file, so this shows only
    dots.
    --- wrong
    input pin: secret
    print "the pin is {pin}"
    --- right
    input pin: secret
    print "the pin has {count(pin)} digits"

    === T249 a secret cannot be remembered
    Values of `remember` are kept in a file beyond the run. Secrets are stored nowhere.
    --- wrong
    input pin: secret
    remember last = pin
    print count(last)
    --- right
    input pin: secret
    remember last = 0
    set last to count(pin)
    print last

    === T250 an included file can only hold declarations
    An included file may declare procedures, formats, peripherals and constants. Put a statement into a procedure
    there, and call the procedure in the recipe: the recipe then shows everything that it does.
    --- file hello.ble
    print "hello"
    --- file greeting.ble
    procedure greet(): print "hello"
    --- wrong
    include "hello.ble"
    print 1
    --- right
    include "greeting.ble"
    greet()

    === T251 a text looks like something else
    Between quotes this is a text: its letters are written to the device, or it is the name that a device
    advertises. Bytes are written `hex "01 ff"`, not `"01ff"` or `"0x01"`; addresses and UUIDs without quotes.
    --- wrong
    scan for "lamp"
    connect
    write "01ff" to 0xFFF1
    --- right
    scan for "lamp"
    connect
    write hex "01ff" to 0xFFF1

    === T252 `it` is far from its statement
    `it` is the value of the newest statement that gave one. When other statements are in between, a reader has to
    search for it, and a new line there may change what it is.
    --- wrong
    scan for "lamp"
    connect
    read battery_level
    log "connected"
    log "ready"
    print it
    --- right
    scan for "lamp"
    connect
    read battery_level as level
    log "connected"
    log "ready"
    print level

    === T253 a test may wait for 30 days
    A `wait until` without `within` ends only when its condition comes true. In a test that is 30 days of virtual
    time, and the message then does not say what was waited for.
    --- wrong
    let ready = false
    test "it becomes ready"
      wait until ready
    end
    print ready
    --- right
    let ready = false
    test "it becomes ready"
      wait until ready within 1min
    end
    print ready

    === T254 a repeated command may be carried out twice
    A control point carries out what is written to it. If the answer to a write is lost, `when unsure repeat`
    writes it again, and the device may carry it out a second time.
    --- wrong
    scan for "bike"
    connect
    write hex "07" to fitness_machine_control_point when unsure repeat
    --- right
    scan for "bike"
    connect
    write hex "07" to fitness_machine_control_point when unsure fail

    === T255 this belongs in a test
    `simulate`, `start recipe`, `kill`, `resume` and `make` control a simulated world, which only a `test` has.
    `tooth test FILE.ble` runs the tests of a file.
    --- wrong
    peripheral lamp
      advertise battery_service
    end
    simulate lamp
    --- right
    peripheral lamp
      advertise battery_service
    end
    test "it is on the air"
      simulate lamp
      expect not lamp.connected
    end

    === T256 there is no such peripheral or run
    A peripheral is declared in this file, or in one that it includes. `simulate` puts it on the air of a test, `serve`
    on that of an adapter. A run has the name that `start recipe … as` gives it. `kill` and `resume` are for runs; an
    adapter can be made to vanish, appear, drop, reboot and be slow, and a peripheral has more faults.
    --- wrong
    peripheral lamp
      advertise battery_service
    end
    test "it is on the air"
      simulate lmp
    end
    --- right
    peripheral lamp
      advertise battery_service
    end
    test "it is on the air"
      simulate lamp
      expect not lamp.connected
    end

    === T257 there is not enough room to advertise this
    An advertisement holds 31 bytes, and its scan response 31 more. Each item takes two bytes beside its own, and a
    128-bit UUID takes 16. The flags take 3. A name is shortened where it does not fit; nothing else is.
    --- wrong
    peripheral lamp
      advertise battery_service with {
        manufacturer: {company: 0xffff, data: hex "000102030405060708090001020304050607080900010203040506070809"},
        name: "Lamp"}
    end
    --- right
    peripheral lamp
      advertise battery_service with {
        manufacturer: {company: 0xffff, data: hex "00010203040506070809"},
        name: "Lamp"}
    end

    === T258 the advertised name is shortened
    The flags, the services and the data leave too little room for the name in the 31 bytes of an advertisement
    and the 31 bytes of its scan response. It is sent as a Shortened Local Name, which has only its first
    characters. A device that has found it may read the whole name as `device_name`.
    --- wrong
    peripheral lamp named "The lamp on the table beside the window"
      advertise battery_service
    end
    --- right
    peripheral lamp named "Table lamp"
      advertise battery_service
    end

    === T259 no code is ever shown here
    Bluetooth has no kind of device that can type and show codes but not compare them. This recipe counts as a
    keyboard: codes are typed here and never shown. Add `on passkey confirm` to type, show and compare codes.
    --- wrong
    on passkey request: answer "123456"
    on passkey display as code: print code
    scan for heart_rate
    connect
    pair
    --- right
    on passkey request: answer "123456"
    on passkey display as code: print code
    on passkey confirm as code: answer code is not nothing
    scan for heart_rate
    connect
    pair

    === T260 a file cannot be read here
    `file("…")` is a part of a statement, which reads the file once and goes on. A condition of `wait until` or `where`
    is computed again with every event, and the default of an input before the recipe runs.
    --- wrong
    wait until file("ready").text().trim() is "yes"
    --- right
    let wanted = file("wanted.txt").text().trim()
    wait until "{now().hour}" is wanted

    === T261 `return` cannot leave a branch of `at once`
    The branches of `for each … at once` run side by side, so there is nothing that one of them could return from.
    `skip` ends a branch, and `leave` ends the loop with all its branches.
    --- wrong
    procedure first(list)
      for each span in list at once
        wait span
        return span
      end
    end
    first([1s, 2s])
    --- right
    let first = nothing
    for each span in [1s, 2s] at once
      wait span
      set first to span
      leave
    end
    print first

    === T262 a branch of `at once` cannot change this name
    A branch begins with the values that the names around its loop have, and keeps them. Names of a handler or a
    procedure cannot be changed from a branch; those of the recipe can.
    --- wrong
    procedure total(list)
      let sum = 0
      for each span in list at once
        wait span
        set sum to sum + 1
      end
      return sum
    end
    let all = total([1s, 2s])
    print all
    --- right
    let sum = 0
    procedure add(list)
      for each span in list at once
        wait span
        set sum to sum + 1
      end
    end
    add([1s, 2s])
    print sum

    === T263 this is not a command
    `run` starts a program with arguments, without a shell in between, so that no value can become a part of a
    program. Signs such as `|` and `>` would be arguments. `run shell` starts a shell, which sees the names of the
    recipe as variables. If the program needs the sign itself, put the word in single quotes: `run "grep 'a|b' log"`.
    --- wrong
    let who = "me"
    run "echo {who} | tee log.txt"
    --- right
    let who = "me"
    run shell 'echo "$who" | tee log.txt'

    === T264 `run shell` takes plain text
    A value inside the text of a shell would be read as a part of the program. The names of the recipe are
    variables of the shell instead, and in double quotes their values stay whole.
    --- wrong
    let who = "me"
    run shell "echo {who} | cat"
    --- right
    let who = "me"
    run shell 'echo "$who" | cat'

    === T265 a program has no value to read back
    `when unsure verify` reads a characteristic after a write whose answer was lost. A program has nothing to
    read, so check in another way whether it has done its work.
    --- wrong
    run "systemctl restart lamp" when unsure verify
    --- right
    run "systemctl restart lamp" when unsure repeat

    === T266 `request mtu` belongs directly after `connect`
    A link has one MTU exchange, directly after the connection. `request mtu 247` on the line after `connect` sets
    the size that tooth requests. It cannot be changed later. Without it, tooth requests the largest size.
    --- wrong
    scan for heart_rate
    connect
    read battery_level as level
    request mtu 100
    print level
    --- right
    scan for heart_rate
    connect
    request mtu 100
    read battery_level as level
    print level

    === T267 this is not a passkey
    A passkey has six digits, with zeros in front where the number is small.
    --- wrong
    peripheral lock named "Lock"
      passkey "4213"
    end
    --- right
    peripheral lock named "Lock"
      passkey "004213"
    end

    === T268 nothing gives `it` a value
    `it` is the newest value that `read`, `wait for`, `ask` or `run` without `as` gave in the same body: in a handler
    the event, in `otherwise` the failure. Where nothing gave it one, it is `nothing`.
    --- wrong
    scan for "lamp"
    connect
    read battery_level as level
    print it
    --- right
    scan for "lamp"
    connect
    read battery_level as level
    print level

    === T269 the UUID is printed, not the value
    The name of a characteristic is its UUID. Its value comes from the device: `read` it, or take what `on notify`
    gives, and print that. If the UUID is meant, `text(battery_level)` says so.
    --- wrong
    scan for "lamp"
    connect
    print "battery: {battery_level} %"
    --- right
    scan for "lamp"
    connect
    read battery_level as level
    print "battery: {level} %"

    === T270 the peripheral of the file does not allow this
    A recipe reads, writes or subscribes to a characteristic, and no peripheral of the same file allows it. It is
    a warning, because the recipe may find another device. When the recipe runs, the properties of that device
    decide, and tooth does not send what they do not allow.
    --- wrong
    scan for "Lamp"
    connect
    write u8(1) to 0xFFF1
    peripheral lamp named "Lamp"
      advertise 0xFFF0
      service 0xFFF0
        characteristic 0xFFF1 can read starts as hex "00"
        characteristic 0xFFF2 can write
      end
    end
    --- right
    scan for "Lamp"
    connect
    write u8(1) to 0xFFF2
    peripheral lamp named "Lamp"
      advertise 0xFFF0
      service 0xFFF0
        characteristic 0xFFF1 can read starts as hex "00"
        characteristic 0xFFF2 can write
      end
    end
    """#
}
