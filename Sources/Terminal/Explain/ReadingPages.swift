/// Pages of `tooth explain` for syntax errors, T001 to T039.
///
/// A page begins with `=== CODE TITLE` and an explanation. The tests check the recipes after `---
/// wrong` and `--- right`.
///
/// `repeated N` repeats the example, `\xNN` is a byte, and `--- file NAME` is a file that both
/// examples may include.
enum ReadingPages {
  static let text: StaticString = #"""
    === T001 the file is not UTF-8 text
    A recipe is UTF-8 text without zero bytes. This file has a byte that cannot occur there; it may have been
    saved in another encoding, or it is not a text at all. Save it as UTF-8.
    --- wrong
    print "caf\xE9"
    --- right
    print "café"

    === T002 the file is too large
    A recipe has at most 1 MiB, including the files that it includes. Tables and images belong in files of their
    own, which an `input` of type `file` reads.
    --- wrong repeated 200000
    print 1
    --- right
    print 1

    === T003 something is nested too deeply
    Blocks nest at most 200 deep and brackets at most 64, so that no text can exhaust the memory of the
    program that reads it. Put the inner part into a procedure, or give a part of the value a name with `let`.
    --- wrong repeated 201
    if true
    --- right
    if true
      print 1
    end

    === T004 a character that is not part of the language
    The character has no meaning outside of a text. Word processors replace `"`, `-` and the space by typographic
    quotes, dashes and unusual spaces. Signs of other languages, such as `@`, `?` and `->`, are not part of this
    one.
    --- wrong
    print “hello”
    --- right
    print "hello"

    === T005 text is not closed
    A text ends with the quote it began with, on the same line. A text of several lines goes between `"""` and
    `"""`.
    --- wrong
    print "hello
    --- right
    print "hello"

    === T006 unknown escape in text
    In `"…"` a backslash begins an escape: `\n`, `\t`, `\r`, `\\`, `\"`, `\{` and `\u{1F600}`. In `'…'` nothing is
    escaped.
    --- wrong
    print "C:\queue"
    --- right
    print "C:\\queue"

    === T007 this is not a number, UUID or address
    What begins with a digit must be a number, a number with a unit, a UUID or an address. Names begin with a
    letter.
    --- wrong
    print 12abc
    --- right
    print 12

    === T008 a number is too large
    Integers have 64 bits with a sign. Longer values are bytes, written `hex "…"`.
    --- wrong
    print 99999999999999999999
    --- right
    print 9223372036854775807

    === T009 hex digits must come in pairs
    The text after `hex` has two hex digits for each byte. Spaces between bytes are allowed.
    --- wrong
    print hex "1f2"
    --- right
    print hex "01 f2"

    === T010 an expression in text cannot be read
    In `"…"` a `{` begins an expression, which ends with `}` and may have a format, as in `{t:.1}`. A plain brace
    is written `\{`, or the text goes between `'` and `'`, where braces mean nothing.
    --- wrong
    print "{"a": 1}"
    --- right
    print '{"a": 1}'

    === T012 there is no such statement
    A line starts with a statement, such as `read` or `print`. This word is not one. It may be misspelt, or it is
    the name of a procedure, which is called with `(`.
    --- wrong
    prnt "hello"
    --- right
    print "hello"

    === T013 a word or sign is missing
    Each statement has one fixed form. At this place only the word or sign named in the message may follow.
    --- wrong
    scan heart_rate
    --- right
    scan for heart_rate

    === T014 something else is expected here
    The phrase needs a value, a name or a text here, and found something else or the end of the line.
    --- wrong
    print 1 +
    --- right
    print 1 + 2

    === T015 the statement should end before this
    The statement is complete, and what follows is not part of it. Often a word is missing or misspelt, or two
    words of a name lack the `_` between them.
    --- wrong
    print 1 2
    --- right
    print 1, 2

    === T016 a block is never closed
    Every block of several lines ends with `end`. Indentation shows where it is probably missing, but closes
    nothing itself.
    --- wrong
    repeat 2 times
      print 1
    --- right
    repeat 2 times
      print 1
    end

    === T017 this `end` closes nothing
    Every block above is already closed. A body after `:` ends with its line and has no `end`.
    --- wrong
    if true: print 1
    end
    --- right
    if true: print 1

    === T018 this `end` belongs to another block
    `end` may repeat the word that opened its block. This word does not match the innermost open block, so an
    `end` is missing before it, or the word is wrong.
    --- wrong
    repeat 2 times
      print 1
    end if
    --- right
    repeat 2 times
      print 1
    end repeat

    === T019 blocks need no brace and no `then`
    The line of `if`, `repeat` or `on` ends without a sign, and its block ends with `end`.
    --- wrong
    if true {
      print 1
    }
    --- right
    if true
      print 1
    end

    === T020 only actions can follow `:`
    Only actions can follow `:`, and they end with their line. A block, a handler or `else` needs lines of its own
    and an `end`.
    --- wrong
    repeat 2 times: if true: print 1
    --- right
    repeat 2 times
      if true: print 1
    end

    === T021 this `else` or `otherwise` has no `if` or `try`
    A one-line `if` or `try` ends at the end of its line. Write a block with `end`, choose between two values
    with `a if c else b`, or put `otherwise` on the line of the `try`. One `end` closes a block together with its
    `else` and `otherwise`: no `end` comes before them.
    --- wrong
    if true: print 1
    else: print 2
    --- right
    if true
      print 1
    else
      print 2
    end

    === T022 this has another name here
    The word comes from another language. The message says which word this one has for it; there are no synonyms,
    so that every recipe reads the same.
    --- wrong
    echo "hello"
    --- right
    print "hello"

    === T023 use `let` and `set … to` for names
    A new name gets its value with `let n = …`, and an existing one changes with `set n to …`. So every line shows
    whether it creates a name or changes one.
    --- wrong
    let n = 1
    n += 1
    print n
    --- right
    let n = 1
    set n to n + 1
    print n

    === T024 the operator is written as a word
    Equality is `is` and `is not`, logic is `and`, `or` and `not`, and the remainder is `mod`. Comparisons
    cannot be chained; join them with `and`.
    --- wrong
    if 1 + 1 == 2: print "yes"
    --- right
    if 1 + 1 is 2: print "yes"

    === T025 a duration needs a unit
    Times are written with their unit and without a space: `20us`, `500ms`, `5s`, `10min`, `2h`, `1d`. A bare number
    could mean any of them, and `5m` could be minutes or milliseconds.
    --- wrong
    wait 5
    --- right
    wait 5s

    === T026 use `of` before the device
    The device of an attribute is named with `of`, whether it is read, written or subscribed to.
    --- wrong
    scan for heart_rate as strap
    connect
    read battery_level from strap as level
    print level
    --- right
    scan for heart_rate as strap
    connect
    read battery_level of strap as level
    print level

    === T027 the parts are in the wrong order
    The condition `where` comes before the name that `as` gives. Inside `where` the value is called `it`.
    --- wrong
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat where beat.bpm > 100: print beat.bpm
    reconnect forever
    --- right
    scan for heart_rate
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement where it.bpm > 100 as beat: print beat.bpm
    reconnect forever

    === T028 a statement is not a value
    `read`, `scan` and other statements wait for something, so they need a line of their own. Their result gets a
    name with `as`.
    --- wrong
    scan for environmental_sensing
    connect
    let celsius = read temperature
    print celsius
    --- right
    scan for environmental_sensing
    connect
    read temperature as celsius
    print celsius

    === T029 a declaration is in the wrong place
    `procedure`, `format`, `peripheral`, `input`, `use` and `test` belong at the top level of the file, outside of
    every block.
    --- wrong
    repeat 2 times
      input limit: number = 3
      print limit
    end
    --- right
    input limit: number = 3
    repeat 2 times
      print limit
    end

    === T030 write bytes as `hex "01 ff"`
    Loose hex digits could be numbers, names or bytes. `hex` and quotes make them bytes.
    --- wrong
    scan for "lamp"
    connect
    write 01 ff to 0xFFF1
    --- right
    scan for "lamp"
    connect
    write hex "01 ff" to 0xFFF1

    === T031 this is not an event, or not a device
    `on` and `wait for` are followed by an event, such as `notify`, and its attribute. A device is a name in the
    recipe, an address or a value in parentheses; the name that a device advertises is found by scanning.
    --- wrong
    connect to "Polar H10"
    --- right
    scan for "Polar H10"
    connect

    === T032 a reserved word cannot be a name
    Words that may begin or join an expression are reserved, and so are the first words of statements for
    procedures. Choose another name.
    --- wrong
    let in = 5
    --- right
    let input_value = 5
    print input_value

    === T033 names and statements are written in lowercase
    A name starts with a lowercase letter or `_`. Statements are written in lowercase.
    --- wrong
    let Level = 5
    print Level
    --- right
    let level = 5
    print level

    === T034 bit operators and arithmetic are mixed
    `&`, `|`, `^`, `<<` and `>>` bind as strongly as `*`, which is not the same in every language. Parentheses say
    what comes first.
    --- wrong
    print 1 & 2 + 3
    --- right
    print (1 & 2) + 3

    === T035 a number is not a UUID
    A 16-bit UUID is written with `0x` and four hex digits, a 128-bit one with 8-4-4-4-12 digits.
    --- wrong
    scan for 180D
    --- right
    scan for heart_rate

    === T036 a part appears twice
    A statement or a line of a service may have this part once.
    --- wrong
    scan for "lamp"
    connect
    write u8(1) to 0xFFF1 within 1s within 2s
    --- right
    scan for "lamp"
    connect
    write u8(1) to 0xFFF1 within 2s

    === T037 a file cannot be included
    The included file does not exist or cannot be read, or its name is computed. Its path is relative to the
    folder of the file that includes it.
    --- file common.ble
    let limit = 5
    --- wrong
    include "comon.ble"
    print limit
    --- right
    include "common.ble"
    print limit

    === T038 a file includes itself
    A file that includes itself, or is included by a file that it includes, would never be complete.
    --- file first.ble
    include "second.ble"
    let one = 1
    --- file second.ble
    include "first.ble"
    let two = 2
    --- file third.ble
    let three = 3
    --- wrong
    include "first.ble"
    print one + two
    --- right
    include "third.ble"
    print three

    === T039 the recipe includes too much
    A recipe includes at most 255 files with 1,000 `include` lines, and has at most 1 MiB with all of them.
    --- file common.ble
    let limit = 5
    --- wrong repeated 1001
    include "common.ble"
    --- right
    include "common.ble"
    print limit
    """#
}
