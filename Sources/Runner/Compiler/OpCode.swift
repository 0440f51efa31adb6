/// What an instruction does. Letters name its operands: `a` is where a result goes unless said
/// otherwise; `target` is `b | c << 16`.
package enum OpCode: UInt16, Sendable {
  // values
  /// a ← b
  case move
  /// Fails when the variable a has no value yet.
  case require
  /// a ← b op c
  case add, subtract, multiply, divide, modulo, bitAnd, bitOr, bitXor, shiftLeft, shiftRight
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, isIn, contains, matches
  /// a ← op b
  case negate, not
  /// Fails when a holds a secret: it cannot be remembered.
  case mayRemember
  /// Fails unless a is true or false.
  case checkTruth
  /// a ← list of the c values from local b on
  case list
  /// The same in front of `add x, x, a`: when x is a list, the values go into it, and both
  /// instructions are done.
  case extend
  /// a ← record with the keys of shape b and the values from local c on
  case record
  /// a ← b.names[c]
  case member
  /// a ← b.names[c], or the value behind b's local when b has no such field: the `.bytes` and `.at`
  /// of an event
  case eventMember
  /// a ← b[c]
  case index
  /// a ← b[local c .. local c+1]
  case slice
  /// a ← method of call site b; the receiver is in local c, arguments behind it
  case method
  /// a ← built-in of call site b; arguments from local c on
  case builtIn
  /// a ← text of interpolation b with values from local c on
  case interpolate
  /// a ← now
  case now
  /// a ← all devices
  case devices
  /// place site a, value b, index values from local c on
  case setPlace
  // control
  case jump, jumpIfFalse, jumpIfTrue
  /// A jump back, counted: a fiber that never waits is stopped.
  case loop
  /// Locals a (list), a+1 (index): the next element goes to a+2, or jump to target at the end.
  case forNext
  /// Locals a (count), a+1 (done): jump to target when done, else count one up.
  case countNext
  /// a ← procedure b with arguments from local c on
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
  /// The handlers of list a become active, or stop being.
  case enterHandlers, leaveHandlers
  /// Sets the device meant to a.
  case setDevice
  // effects
  case output, append, save, expect, fail, stop, restart, checkpoint
  /// a ← the bytes of the file named b
  case readFile
  /// Fails with text a, and shows the values b and c that were compared.
  case expectCompared
  /// The set-up of the device meant is over: `on connect` starts.
  case ready
  // waiting
  case scan, connect, reconnect, disconnect, discover, pair, forget, request, read, write, subscribe, unsubscribe
  /// The branches of loop a run; the fiber goes on when all have ended.
  case atOnce
  /// Ends the loop of a branch, and its other branches.
  case leaveBranches
  /// Runs a program.
  case run
  /// Asks question site a.
  case ask
  /// Shows that a of b is done.
  case meter
  case waitSpan, waitForever, waitUntil, waitEvent
  // peripheral
  case publish, update, answer, refuse, advertise, stopAdvertising
  /// Jumps to target when peripheral a is served already.
  case beginServing
  /// Peripheral a, whose `let`s have their values, goes on the air.
  case serve
  /// Peripheral a leaves the air.
  case stopServing
  /// a ← what peripheral b has of the name c: its centrals or subscribers
  case serverMember
  // tests
  /// a ← a part of the test, made by order site b
  case order
  // prompt
  /// The body waits for the next entry.
  case prompt
  /// Shows a under the name names[b]; c has the bits of `EchoFlags`.
  case echo
  /// Leaves an entry; the number a is the raw value of its `EntryState`.
  case entryEnd

  /// Whether a fiber may stand here when it is saved.
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
