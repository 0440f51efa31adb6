/// Pages of `tooth explain` for failures of a run, T299 to T410.
///
/// `--- air` describes the simulated peripherals while both examples run.
enum RunningPages {
  static let text: StaticString = #"""
    === T299 the recipe is larger than a run can hold
    A recipe may have 16,383 names, 16,383 different values, 65,535 handlers and procedures, and 65,535 statements of
    one kind. Divide it into several recipes.
    --- wrong repeated 70000
    print 1
    --- right
    repeat 70000 times
      print 1
    end

    === T301 a scan found nothing
    No matching device was heard in time. It may be out of range, asleep or connected to something else; many
    devices advertise only while they are in use. `tooth scan` shows the devices in range. The exit code is 5.
    --- air
    peripheral strap
      advertise heart_rate every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify
      end
    end
    --- wrong
    scan for glucose within 5s
    --- right
    scan for heart_rate within 5s

    === T302 a device cannot be reached
    The connection was not established in time, or a device that is wanted did not come back. The exit code is 6.
    --- wrong
    connect to C4:7C:8D:6A:12:0F/random within 5s
    --- right
    try
      connect to C4:7C:8D:6A:12:0F/random within 5s
    otherwise if not_found or unreachable or timeout
      print "not there"
    end

    === T303 the link was lost
    The device is no longer connected, and the recipe did not ask tooth to reconnect it. `connect when it appears`
    and `reconnect` do that. The exit code is 6.
    --- air
    peripheral lamp named "Lamp"
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read starts as 80
      end
    end
    --- wrong
    scan for "Lamp"
    connect
    disconnect
    read battery_level as level
    print level
    --- right
    scan for "Lamp"
    connect
    read battery_level as level
    disconnect
    print level

    === T304 the time ran out
    The limit of a `within` around the statement was over before the statement was done. The exit code is 8.
    --- wrong
    wait until false within 2s
    --- right
    try
      wait until false within 2s
    otherwise if timeout
      print "too late"
    end

    === T305 the device refused
    The device answered with an error, which the message shows. Its manual says what it allows, and when. The exit
    code is 7.
    --- air
    peripheral lamp named "Lamp"
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read starts as 80
        characteristic battery_level_status can read
      end
      on read battery_level_status: refuse with 0x80
    end
    --- wrong
    scan for "Lamp"
    connect
    read raw battery_level_status as status
    print status
    --- right
    scan for "Lamp"
    connect
    read battery_level as level
    print level

    === T306 the device needs pairing
    The attribute may be used on an encrypted link only. `use pairing automatic` pairs when an attribute asks for it. The
    exit code is 7.
    --- air
    peripheral lamp named "Lamp"
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read starts as 80
        characteristic battery_power_state can read needs encryption starts as u8(1)
      end
    end
    --- wrong
    scan for "Lamp"
    connect
    read raw battery_power_state as state
    print state
    --- right
    scan for "Lamp"
    connect
    pair
    read raw battery_power_state as state
    print state

    === T307 the device has no such attribute
    The device has no such service, characteristic or descriptor, or the characteristic cannot be used this way.
    The message lists what is there. The exit code is 7.
    --- air
    peripheral lamp named "Lamp"
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read starts as 80
      end
    end
    --- wrong
    scan for "Lamp"
    connect
    read temperature as celsius
    print celsius
    --- right
    scan for "Lamp"
    connect
    read battery_level as level
    print level

    === T308 the device has forgotten the bond
    The device is paired with this adapter, but says that it has no key for it. It was reset, or another device
    uses its address. Or it was paired again by a program that has other bonds: a keeper has one set for each
    user, and runs with `--direct` have one in their state folder. The bond is kept, and nothing is sent
    unencrypted. If the device was reset, `--rebond` pairs again on the same link, with a bond that is at least as
    secure; so does `tooth forget` followed by `tooth pair`. The exit code is 7.
    --- wrong
    fail "stale_bond: a lock that was reset"
    --- right
    scan for "Lock" within 1s otherwise stop
    connect
    pair

    === T310 it is unknown whether a write was done, or a program ran to its end
    The link was lost, or the run was killed, before the answer to a write came. Or the run was killed, or the
    time ran out, while a program of `run` was running. The effect may have happened or not, and tooth does not
    guess. `when unsure` decides: `repeat` if it may happen twice, `skip`, or, for a write, `verify` if the value
    can be read back. The exit code is 10.
    --- air
    peripheral valve named "Valve"
      advertise 0xFFF0
      service 0xFFF0
        characteristic 0xFFF1 can write
      end
      on write 0xFFF1: wait 40s
    end
    --- wrong
    scan for "Valve"
    connect
    write u8(1) to 0xFFF1
    --- right
    scan for "Valve"
    connect
    write u8(1) to 0xFFF1 when unsure skip

    === T320 the adapter cannot be used
    There is no adapter, it is off, busy or broken, or this user may not use it. `tooth doctor` finds out which. The
    exit code is 9.
    --- wrong
    scan for heart_rate within 5s
    --- right
    print "this needs no adapter"

    === T330 something was not as expected
    The condition of an `expect` is false. The exit code is 4.
    --- wrong
    expect 1 + 1 is 3, "arithmetic"
    --- right
    expect 1 + 1 is 2, "arithmetic"

    === T331 a test did not end
    It took more than 30 virtual days or 10 s of computing time, or it waits and nothing can happen any more.
    Under `--chaos`: a recipe hangs, or an `expect` fails although no recipe has failed. Give each `wait until` a
    `within`.
    --- wrong
    test "it ends"
      wait forever
    end
    --- right
    test "it ends"
      wait 1d
    end

    === T340 a value does not fit its format
    The bytes are too short, or differ from what `always` requires. `read raw` gives the bytes as they are. The
    exit code is 1.
    --- air
    peripheral thermometer named "Thermo"
      advertise environmental_sensing every 100ms
      service environmental_sensing
        characteristic temperature can read starts as hex "01"
      end
    end
    --- wrong
    scan for "Thermo"
    connect
    read temperature as celsius
    print celsius
    --- right
    scan for "Thermo"
    connect
    read raw temperature as bytes_of_it
    print bytes_of_it

    === T350 a value is not what an operation needs
    An index is out of range, a number is too large, a key is missing, a text is not a number, or a loop ran for
    too long without waiting. The exit code is 1.
    --- wrong
    let list = [1, 2]
    print list[5]
    --- right
    let list = [1, 2]
    print list[1]

    === T360 a file cannot be read or written
    The file, its folder or the disk does not allow it. The exit code is 1.
    --- wrong
    append "hello" to "no/such/folder/x.txt"
    --- right
    print "hello"

    === T370 a program failed
    A program that `run` started exited with an error, or could not be started. The exit code is 1.
    --- wrong
    run "false"
    --- right
    try
      run "false"
    otherwise if command
      print "it ended with {it.code}"
    end

    === T380 the recipe failed with `fail`
    `fail` ended the run. Its text is in the recipe. The exit code is 1, or the one given with `code`.
    --- wrong
    fail "the door is open"
    --- right
    print "the door is open"

    === T399 the statement was cancelled
    The handler or block around the statement ended before it, for example because a link was lost.
    --- wrong
    on connect: wait 10s
    scan for "Lamp" within 1s
    connect
    disconnect
    wait 1s
    --- right
    print 1

    === T410 the recipe changed where a run was working
    An interrupted run continues at its statement, but that statement or a block around it has changed in the
    file. `--as-started` continues with the old text, `--fresh` starts again with the new one. The exit code is
    11.
    --- wrong
    wait 10min
    print "one"
    --- right
    wait 10min
    print "two"
    """#
}
