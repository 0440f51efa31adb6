/// The operation of an instruction. `a`, `b` and `c` are its operands; the result goes to `a`
/// unless stated otherwise. `target` is `b | c << 16`.
package enum OpCode: UInt16, Sendable {
  // values
  /// a ← b
  case move
  /// Fails if the variable a has no value yet.
  case require
  /// a ← b op c
  case add, subtract, multiply, divide, modulo, bitAnd, bitOr, bitXor, shiftLeft, shiftRight
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, isIn, contains, matches
  /// a ← op b
  case negate, not
  /// Fails if a contains a secret, which cannot be remembered.
  case mayRemember
  /// Fails unless a is true or false.
  case checkTruth
  /// a ← list of the c values starting at local b
  case list
  /// As `list`, but before `add x, x, a`: if x is a list, appends the values to it and skips the
  /// `add`.
  case extend
  /// a ← record with the keys of shape b and the values starting at local c
  case record
  /// a ← b.names[c]
  case member
  /// a ← b.names[c], or the local after b if b has no such field: the `.bytes` and `.at` of an
  /// event
  case eventMember
  /// a ← b[c]
  case index
  /// a ← b[local c .. local c+1]
  case slice
  /// a ← method of call site b; the receiver is in local c, the arguments follow
  case method
  /// a ← built-in of call site b with arguments starting at local c
  case builtIn
  /// a ← text of interpolation b with values starting at local c
  case interpolate
  /// a ← now
  case now
  /// a ← all devices
  case devices
  /// Sets place site a to value b, with index values starting at local c.
  case setPlace
  // control
  case jump, jumpIfFalse, jumpIfTrue
  /// Jumps back and counts, so that a fiber that never waits is stopped.
  case loop
  /// Locals a (list), a+1 (index): moves the next element to a+2, or jumps to target at the end.
  case forNext
  /// Locals a (count), a+1 (done): jumps to target when done, otherwise counts up.
  case countNext
  /// a ← procedure b with arguments starting at local c
  case call
  /// Leaves the procedure or handler with value a.
  case returnValue
  /// Ends a unit.
  case finish
  /// Ends a predicate with value a.
  case predicateEnd
  case tryBegin, tryEnd
  /// Jumps to target unless `it` is a failure of rescue site a.
  case rescueMatch
  case rethrow
  /// Activates or deactivates the handlers of list a.
  case enterHandlers, leaveHandlers
  /// Sets the current device to a.
  case setDevice
  // effects
  case output, append, save, expect, fail, stop, restart, checkpoint
  /// a ← contents of the file named b
  case readFile
  /// Fails with text a and shows the compared values b and c.
  case expectCompared
  /// Ends the set-up of the current device, so that `on connect` starts.
  case ready
  // waiting
  case scan, connect, reconnect, disconnect, discover, pair, forget, request, read, write, subscribe, unsubscribe
  /// Runs the branches of loop a and waits until all have ended.
  case atOnce
  /// Ends the loop of a branch and its other branches.
  case leaveBranches
  /// Runs a program.
  case run
  /// Asks the question of site a.
  case ask
  /// Shows the progress a of b.
  case meter
  case waitSpan, waitForever, waitUntil, waitEvent
  // peripheral
  case publish, update, answer, refuse, advertise, stopAdvertising
  /// Jumps to target if peripheral a is already served.
  case beginServing
  /// Serves peripheral a, whose `let`s have their values.
  case serve
  /// Stops serving peripheral a.
  case stopServing
  /// a ← member c of peripheral b: its centrals or subscribers
  case serverMember
  // tests
  /// a ← result of order site b, which creates a part of the test
  case order
  // prompt
  /// Waits for the next entry.
  case prompt
  /// Displays a under the name names[b]; c has the bits of `EchoFlags`.
  case echo
  /// Ends an entry; a is the raw value of its `EntryState`.
  case entryEnd

  /// Whether a saved fiber may be at this instruction.
  package var mayWait: Bool {
    switch self {
    case .scan, .connect, .reconnect, .disconnect, .discover, .pair, .forget, .request, .read, .write, .subscribe, .unsubscribe,
      .waitSpan,
      .waitForever,
      .waitUntil, .waitEvent, .publish, .call, .output, .append, .save, .readFile, .atOnce, .ask, .run, .checkpoint, .order,
      .prompt, .echo, .entryEnd, .serve, .stopServing:
      true
    default: false
    }
  }
}
