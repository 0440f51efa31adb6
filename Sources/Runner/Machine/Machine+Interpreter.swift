import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// Why the interpreter returned.
  enum Stop {
    /// The fiber waits, as its `wait` describes.
    case waits
    /// The unit of the lowest frame has ended.
    case ended
    case predicate(Value)
    case failed(Problem)
    /// The turn is over; the fiber continues first in the next one.
    case turnOver
    /// The run ends or restarts.
    case leaves
  }

  /// The steps that all fibers of a turn may take together, about 10 ms, so that signals and time
  /// limits are checked. Work on large values counts as several steps.
  static let slice = 200_000
  /// A long computation is committed after this many turns, about every 100 ms.
  static let uncommittedLimit = 9
  /// The steps of a condition, which cannot be interrupted. Cheap loops reach the round limit
  /// first.
  static let wholeLimit = 40 * slice
  /// The maximum loop rounds and calls of a fiber that never waits.
  static let roundLimit = 1_000_000
  /// A failed attempt without a pause counts as this many rounds or steps.
  static let roundsOfAttempt = 100
  static let roundsOfRestart = 1000

  @inline(__always)
  func read(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> Value {
    if raw < 0x8000 { return fiber.slots[base + Int(raw)] }
    if raw < 0xC000 { return variables[Int(raw & 0x3FFF)] }
    return program.constants[Int(raw & 0x3FFF)]
  }

  /// An integer, without copying the value.
  @inline(__always)
  private func whole(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> Int64? {
    if raw < 0x8000 {
      if case .int(let number) = fiber.slots[base + Int(raw)] { return number }
    } else if raw < 0xC000 {
      if case .int(let number) = variables[Int(raw & 0x3FFF)] { return number }
    } else if case .int(let number) = program.constants[Int(raw & 0x3FFF)] {
      return number
    }
    return nil
  }

  @inline(__always)
  mutating func store(_ value: consuming Value, _ raw: UInt16, _ fiber: inout Fiber, _ base: Int) {
    if raw < 0x8000 {
      fiber.slots[base + Int(raw)] = value
    } else if raw < 0xC000 {
      let index = Int(raw & 0x3FFF)
      variables[index] = value
    }
  }

  /// Executes from the instruction of the top frame. Does not return into frames below `floor`.
  ///
  /// Unless `isWhole`, the work is split into turns, between loop rounds and before statements.
  mutating func interpret(_ fiber: inout Fiber, floor: Int = 0, isWhole: Bool = false) -> Stop {
    var pc = fiber.frames[fiber.frames.count - 1].pc
    var base = fiber.frames[fiber.frames.count - 1].base
    var budget = fuel
    defer { fuel = budget }
    let least = isWhole ? budget - Self.wholeLimit : .min
    do throws(Failure) {
      while true {
        let op = program.code[pc]
        budget -= 1
        switch op.code {
        case .move:
          if let number = whole(op.b, fiber, base) {
            store(.int(number), op.a, &fiber, base)
          } else {
            let value = read(op.b, fiber, base)
            // A shared value may have to be copied.
            budget -= value.weight >> 3
            store(value, op.a, &fiber, base)
          }
        case .require:
          if isUnset(op.a, fiber, base) {
            throw .value("`\(variableName(op.a, fiber))` has no value yet", hint: "give it one first, with `let`")
          }
        case .add:
          if let x = whole(op.b, fiber, base), let y = whole(op.c, fiber, base) {
            let (sum, overflow) = x.addingReportingOverflow(y)
            if overflow { throw .value("the sum of \(x) and \(y) does not fit in 64 bits") }
            store(.int(sum), op.a, &fiber, base)
          } else if op.a == op.b {
            budget -= read(op.c, fiber, base).weight
            try grow(op, &fiber, base)
          } else {
            budget -= try weighed(.add, op, &fiber, base)
          }
        case .subtract:
          if let x = whole(op.b, fiber, base), let y = whole(op.c, fiber, base) {
            let (difference, overflow) = x.subtractingReportingOverflow(y)
            if overflow { throw .value("the difference of \(x) and \(y) does not fit in 64 bits") }
            store(.int(difference), op.a, &fiber, base)
          } else {
            store(try Value.subtract(read(op.b, fiber, base), read(op.c, fiber, base)), op.a, &fiber, base)
          }
        case .less:
          if let x = whole(op.b, fiber, base), let y = whole(op.c, fiber, base) {
            store(.bool(x < y), op.a, &fiber, base)
          } else {
            budget -= try weighed(.less, op, &fiber, base)
          }
        case .multiply: try binary(.multiply, op, &fiber, base)
        case .divide: try binary(.divide, op, &fiber, base)
        case .modulo: try binary(.modulo, op, &fiber, base)
        case .bitAnd: try binary(.bitAnd, op, &fiber, base)
        case .bitOr: try binary(.bitOr, op, &fiber, base)
        case .bitXor: try binary(.bitXor, op, &fiber, base)
        case .shiftLeft: try binary(.shiftLeft, op, &fiber, base)
        case .shiftRight: try binary(.shiftRight, op, &fiber, base)
        case .equal: budget -= try weighed(.equal, op, &fiber, base)
        case .notEqual: budget -= try weighed(.notEqual, op, &fiber, base)
        case .lessOrEqual: budget -= try weighed(.lessOrEqual, op, &fiber, base)
        case .greater: budget -= try weighed(.greater, op, &fiber, base)
        case .greaterOrEqual: budget -= try weighed(.greaterOrEqual, op, &fiber, base)
        case .isIn: budget -= try weighed(.in, op, &fiber, base)
        case .contains: budget -= try weighed(.contains, op, &fiber, base)
        case .matches: budget -= try weighed(.matches, op, &fiber, base)
        case .negate: store(try Value.negate(read(op.b, fiber, base)), op.a, &fiber, base)
        case .not: store(try Value.not(read(op.b, fiber, base)), op.a, &fiber, base)
        case .mayRemember:
          if read(op.a, fiber, base).holdsSecret {
            throw .value("a secret cannot be remembered", hint: "it would be written to a file; use an input instead")
          }
        case .checkTruth: _ = try Value.truth(of: read(op.a, fiber, base))
        case .list:
          let first = base + Int(op.b)
          budget -= Int(op.c)
          store(try Value.checked(list: Self.values(first..<first + Int(op.c), fiber)), op.a, &fiber, base)
        case .extend:
          let first = base + Int(op.b)
          let elements = first..<first + Int(op.c)
          let grown = program.code[pc + 1].a
          budget -= elements.count
          if isList(grown, fiber, base) {
            let isNumber = op.c == 1 && whole(op.b, fiber, base) != nil
            let parts = isNumber ? 1 : try Self.parts(of: elements, fiber)
            pc += 1
            budget -= 1 + elements.count >> 1
            try append(elements, parts, to: grown, &fiber, base)
          } else {
            store(try Value.checked(list: Self.values(elements, fiber)), op.a, &fiber, base)
          }
        case .record:
          var record = Record()
          let keys = program.shapes[Int(op.b)]
          budget -= keys.count
          record.fields.reserveCapacity(keys.count)
          for (offset, key) in keys.enumerated() { record.set(key, fiber.slots[base + Int(op.c) + offset]) }
          store(try Value.checked(record: record), op.a, &fiber, base)
        case .member:
          budget -= fields(op.b, fiber, base) >> 3
          if let field = field(op.b, Int(op.c), fiber, base) {
            store(field, op.a, &fiber, base)
          } else {
            let (whole, name) = (read(op.b, fiber, base), program.names[Int(op.c)])
            let found = try member(whole, name)
            store(found, op.a, &fiber, base)
          }
        case .serverMember: store(try serverMember(Int(op.b), program.names[Int(op.c)]), op.a, &fiber, base)
        case .beginServing: if try isServing(Int(op.a)) { pc = op.target - 1 }
        case .eventMember:
          // `a` already has the event's bytes or time; a field of that name takes precedence.
          if case .record(let record) = read(op.b, fiber, base), let field = record[program.names[Int(op.c)]] {
            store(field, op.a, &fiber, base)
          }
        case .index:
          budget -= fields(op.b, fiber, base) >> 3
          let value = try read(op.b, fiber, base).element(at: read(op.c, fiber, base))
          budget -= value.weight >> 3
          store(value, op.a, &fiber, base)
        case .slice:
          let first = base + Int(op.c)
          let value = read(op.b, fiber, base)
          budget -= value.weight
          store(try value.slice(from: fiber.slots[first], to: fiber.slots[first + 1]), op.a, &fiber, base)
        case .method:
          // Access the site's parts in place, because a copy would retain its name.
          let site = Int(op.b)
          let first = base + Int(op.c)
          budget -= fiber.slots[first].weight
          let value = try method(site, fiber, first)
          letGo(first..<first + 1 + program.calls[site].count, &fiber)
          budget -= value.weight
          store(value, op.a, &fiber, base)
        case .builtIn:
          let site = Int(op.b)
          let first = base + Int(op.c)
          for slot in first..<first + program.calls[site].count { budget -= fiber.slots[slot].weight }
          let value = try builtIn(site, fiber, first)
          letGo(first..<first + program.calls[site].count, &fiber)
          budget -= value.weight
          store(value, op.a, &fiber, base)
        case .interpolate:
          let site = program.interpolations[Int(op.b)]
          let text = try interpolate(site, fiber, base + Int(op.c))
          budget -= text.weight
          store(text, op.a, &fiber, base)
        case .now: store(.time(now.wall), op.a, &fiber, base)
        case .devices:
          budget -= devices.count
          store(.list(devices.indices.filter { !devices[$0].isGone }.map { .device($0) }), op.a, &fiber, base)
        case .setPlace:
          fuel = budget
          defer { budget = fuel }
          try setPlace(op, &fiber, base)
        case .jump: pc = op.target - 1
        case .jumpIfFalse:
          if case .bool(let flag) = read(op.a, fiber, base) {
            if !flag { pc = op.target - 1 }
          } else if !(try Value.truth(of: read(op.a, fiber, base))) {
            pc = op.target - 1
          }
        case .jumpIfTrue: if try Value.truth(of: read(op.a, fiber, base)) { pc = op.target - 1 }
        case .loop:
          fiber.rounds += 1
          if fiber.rounds > Self.roundLimit {
            throw .value(
              "the loop never waits: a million rounds without a statement that waits", hint: "put a `wait` into the loop")
          }
          pc = op.target - 1
          if budget <= 0 {
            if !isWhole {
              fiber.frames[fiber.frames.count - 1].pc = pc + 1
              return .turnOver
            }
            if budget < least { throw .value("this condition never finishes", hint: "compute it first, with `let`") }
          }
        case .forNext:
          let first = base + Int(op.a)
          guard case .int(let index) = fiber.slots[first + 1] else { throw .value("this loop has lost its place") }
          guard case .list(let list) = try fiber.slots[first].opened() else {
            throw .value("`for each` needs a list, not \(fiber.slots[first].typeName)")
          }
          if index >= 0, index < Int64(list.count) {
            fiber.slots[first + 2] = fiber.slots[first].isSecret ? .hidden(list[Int(index)]) : list[Int(index)]
            fiber.slots[first + 1] = .int(index + 1)
          } else {
            pc = op.target - 1
            letGo(first..<first + 1, &fiber)
          }
        case .countNext:
          let first = base + Int(op.a)
          guard let count = try count(fiber.slots[first]), case .int(let done) = fiber.slots[first + 1] else {
            throw .value("`repeat … times` takes a whole number, not \(fiber.slots[first].fractionOrType)")
          }
          if done < count { fiber.slots[first + 1] = .int(done + 1) } else { pc = op.target - 1 }
        case .call:
          guard fiber.frames.count < 200 else { throw .value("procedure calls are nested more than 200 deep") }
          fiber.rounds += 1
          if fiber.rounds > Self.roundLimit {
            throw .value("the procedure never waits: a million calls without a statement that waits")
          }
          if budget < least { throw .value("this condition never finishes", hint: "compute it first, with `let`") }
          let unit = Int(op.b)
          // Use the span, because a subscript of the array copies the whole unit.
          guard let (parameters, locals, entry) = program.units.span[unit].call else {
            throw .value("this call has lost its procedure")
          }
          budget -= locals
          fiber.frames[fiber.frames.count - 1].pc = pc
          let first = base + Int(op.c)
          let newBase = fiber.slots.count
          fiber.slots.append(.nothing)
          fiber.slots.append(fiber.slots[base + 1])
          fiber.slots.append(.nothing)
          fiber.slots.append(.nothing)
          for offset in 0..<parameters { fiber.slots.append(fiber.slots[first + offset]) }
          letGo(first..<first + parameters, &fiber)
          for _ in (Operand.firstFree + parameters)..<locals { fiber.slots.append(.unset) }
          fiber.frames.append(Frame(unit: unit, pc: entry, base: newBase, destination: op.a))
          base = newBase
          pc = entry - 1
        case .returnValue:
          let value = read(op.a, fiber, base)
          if fiber.frames.count - 1 <= floor {
            fiber.frames[fiber.frames.count - 1].pc = pc
            return .ended
          }
          popFrame(&fiber)
          let below = fiber.frames.count - 1
          pc = fiber.frames[below].pc
          base = fiber.frames[below].base
          let destination = program.code[pc].a
          store(value, destination, &fiber, base)
        case .finish:
          fiber.frames[fiber.frames.count - 1].pc = pc
          return .ended
        case .predicateEnd: return .predicate(read(op.a, fiber, base))
        case .tryBegin: try beginTry(Int(op.a), &fiber, base)
        case .tryEnd:
          endTry(&fiber)
          // The code after a set-up statement does not belong to its `otherwise`.
          if case .setUp = fiber.role, fiber.frames.count == 1, fiber.frames[0].tries.isEmpty {
            fiber.frames[0].pc = pc
            return .ended
          }
        case .rescueMatch:
          guard case .problem(let problem) = fiber.slots[base] else { throw .value("there is no failure to look at") }
          if !program.rescues[Int(op.a)].contains(problem.failure.kind.word) { pc = op.target - 1 }
        case .rethrow:
          guard case .problem(let problem) = fiber.slots[base] else { throw .value("there is no failure to pass on") }
          fiber.frames[fiber.frames.count - 1].pc = pc
          endTry(&fiber)
          return .failed(problem)
        case .enterHandlers:
          fuel = budget
          defer { budget = fuel }
          try enterHandlers(program.handlerLists[Int(op.a)], &fiber, base)
        case .leaveHandlers:
          for _ in 0..<Int(op.a) {
            if let handler = fiber.frames[fiber.frames.count - 1].handlers.popLast() { leaveHandler(handler) }
          }
        case .setDevice: fiber.slots[base + 1] = .device(try device(of: read(op.a, fiber, base)))
        default:
          // Instructions with side effects need the current instruction in the frame.
          fiber.frames[fiber.frames.count - 1].pc = pc
          fuel = budget
          defer { budget = fuel }
          if let stop = try perform(op, &fiber, base) { return stop }
        }
        pc += 1
        if budget <= 0, !isWhole, isCut(before: pc) {
          fiber.frames[fiber.frames.count - 1].pc = pc
          return .turnOver
        }
      }
    } catch {
      fiber.frames[fiber.frames.count - 1].pc = pc
      return .failed(problem(error, fiber))
    }
  }

  /// Empties locals that are not read again. A value that they share with a variable would be
  /// copied whole by the next `set` that changes the variable in place.
  @inline(__always)
  private func letGo(_ slots: Range<Int>, _ fiber: inout Fiber) {
    for slot in slots where fiber.slots[slot].isShared { fiber.slots[slot] = .unset }
  }

  /// A list of some slots; cheaper than one made from an array slice.
  @inline(__always)
  private static func values(_ slots: Range<Int>, _ fiber: borrowing Fiber) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for slot in slots { values.append(fiber.slots[slot]) }
    return values
  }

  /// The number of loop rounds, if that is an integer.
  @inline(__always)
  private func count(_ value: Value) throws(Failure) -> Int64? {
    if case .int(let number) = value { return number }
    return try value.opened().whole
  }

  @inline(__always)
  private func isUnset(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> Bool {
    if raw < 0x8000 { return fiber.slots[base + Int(raw)].isUnset }
    if raw < 0xC000 { return variables[Int(raw & 0x3FFF)].isUnset }
    return false
  }

  @inline(__always)
  private func isList(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> Bool {
    raw < 0x8000 ? fiber.slots[base + Int(raw)].isList : variables[Int(raw & 0x3FFF)].isList
  }

  /// The field of a record, without copying the record; `nil` for other values and fields.
  @inline(__always)
  private func field(_ raw: UInt16, _ name: Int, _ fiber: borrowing Fiber, _ base: Int) -> Value? {
    if raw < 0x8000 { return fiber.slots[base + Int(raw)].field(program.names[name]) }
    if raw < 0xC000 { return variables[Int(raw & 0x3FFF)].field(program.names[name]) }
    return nil
  }

  /// The number of fields to search; 0 if it is not a record.
  @inline(__always)
  private func fields(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> Int {
    if raw < 0x8000 { return fiber.slots[base + Int(raw)].fieldCount }
    if raw < 0xC000 { return variables[Int(raw & 0x3FFF)].fieldCount }
    return 0
  }

  private mutating func binary(_ operation: BinaryOperator, _ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    store(try Value.apply(operation, read(op.b, fiber, base), read(op.c, fiber, base)), op.a, &fiber, base)
  }

  /// Performs an operation that may process large values, and returns its cost.
  private mutating func weighed(_ operation: BinaryOperator, _ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Int {
    let (left, right) = (read(op.b, fiber, base), read(op.c, fiber, base))
    let weight = left.weight + right.weight
    store(operation == .add ? try Value.add(left, right) : try Value.apply(operation, left, right), op.a, &fiber, base)
    return weight
  }

  /// Whether a fiber may be interrupted here, which is only at the start of a statement, because
  /// there an edited recipe can find its place.
  private func isCut(before pc: Int) -> Bool {
    guard program.statementOf.indices.contains(pc) else { return false }
    let statement = Int(program.statementOf[pc])
    return program.statements.indices.contains(statement) && program.statements[statement].start == pc
  }

  private func variableName(_ raw: UInt16, _ fiber: borrowing Fiber) -> String {
    if raw < 0x8000, let frame = fiber.frames.last {
      let keys = program.units[frame.unit].localKeys
      if keys.indices.contains(Int(raw)), case .named(let name) = keys[Int(raw)] { return name }
    }
    let index = Int(raw & 0x3FFF)
    return program.variables.indices.contains(index) ? program.variables[index].name : "this name"
  }

  mutating func popFrame(_ fiber: inout Fiber) {
    guard let frame = fiber.frames.popLast() else { return }
    for handler in frame.handlers { leaveHandler(handler) }
    fiber.slots.removeLast(fiber.slots.count - frame.base)
  }

  private mutating func interpolate(_ site: Interpolation, _ fiber: borrowing Fiber, _ first: Int) throws(Failure) -> Value {
    var text = ""
    // From the first secret on: the same text with secrets masked.
    var shown: String?
    var next = first
    for part in site.parts {
      switch part {
      case .text(let piece):
        text += piece
        shown? += piece
      case .value(let format):
        let part: String
        if fiber.slots[next].holdsSecret {
          part = try secretText(of: fiber.slots[next], format)
          if shown == nil { shown = text }
          shown? += TextRendering.text(of: fiber.slots[next], surroundings)
        } else {
          part = try TextRendering.text(of: fiber.slots[next], format: format, surroundings)
          shown? += part
        }
        try Value.checkSize(text.utf8.count, part.utf8.count, most: Value.largestText)
        text += part
        next += 1
      }
    }
    if let shown { return .hidden(.text(text), shown: shown) }
    return .text(text)
  }

  private func secretText(of value: Value, _ format: StringSyntax.Format?) throws(Failure) -> String {
    let inner = try value.revealed()
    do throws(Failure) {
      return try TextRendering.text(of: inner, format: format, surroundings)
    } catch { throw error.withheld("{…}", [value]) }
  }

  private mutating func method(_ site: Int, _ fiber: borrowing Fiber, _ first: Int) throws(Failure) -> Value {
    guard let method = program.calls[site].method else { throw .value("there is no `.\(program.calls[site].name)()`") }
    switch program.calls[site].count {
    case 0: return try method.apply(to: fiber.slots[first], nil, surroundings)
    case 1: return try method.apply(to: fiber.slots[first], fiber.slots[first + 1], surroundings)
    case let count: return try method.apply(to: fiber.slots[first], Self.values(first + 1..<first + 1 + count, fiber), surroundings)
    }
  }

  private mutating func builtIn(_ site: Int, _ fiber: borrowing Fiber, _ first: Int) throws(Failure) -> Value {
    guard let builtIn = program.calls[site].builtIn else { throw .value("there is no `\(program.calls[site].name)`") }
    let count = program.calls[site].count
    switch builtIn {
    case .function(.random): return try random(Self.values(first..<first + count, fiber))
    case .function(.env): return try processVariable(Self.values(first..<first + count, fiber))
    case _ where count == 1: return try builtIn.apply(fiber.slots[first], surroundings)
    default: return try builtIn.apply(Self.values(first..<first + count, fiber), surroundings)
    }
  }

  /// `random(a, b)` is an integer from a to b; `random(n)` is n bytes.
  private mutating func random(_ arguments: [Value]) throws(Failure) -> Value {
    let numbers = arguments.compactMap(\.whole)
    if arguments.count == 1, let count = numbers.first, (0...65_536).contains(count) {
      return .bytes((0..<count).map { _ in UInt8(truncatingIfNeeded: header.randomNumber() >> 33) })
    }
    if numbers.count == 2, numbers[0] <= numbers[1] {
      let width = UInt64(bitPattern: numbers[1] &- numbers[0])
      let offset = width == .max ? header.randomNumber() : header.randomNumber() % (width + 1)
      return .int(numbers[0] &+ Int64(bitPattern: offset))
    }
    throw .value("`random` takes a number of bytes up to 65536, or two whole numbers in order")
  }

  /// `env("NAME")`, `env("NAME", default)`: an environment variable of the process.
  private func processVariable(_ arguments: [Value]) throws(Failure) -> Value {
    guard case .text(let name) = arguments[0] else {
      throw .value(
        "`env` takes the name of a variable, not \(arguments[0].typeName)",
        hint: arguments[0].isSecret ? "a secret cannot be a name" : nil)
    }
    if name.hasPrefix("TOOTH_SECRET_") {
      // Behave as if it were not set, in either case.
      if arguments.count > 1 { return arguments[1] }
      throw .value("`env` does not return secrets", hint: "declare it: `input \(name.dropFirst(13).lowercased()): secret`")
    }
    if let found = environment.variables.first(where: { $0.name == name }) { return .text(found.value) }
    guard arguments.count > 1 else {
      throw .value("the environment variable \(name) is not set", hint: "set it, or give a default: `env(\"\(name)\", \"…\")`")
    }
    return arguments[1]
  }

  private mutating func setPlace(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    let site = Int(op.a)
    let root = program.places[site].root
    let path = path(site, fiber, base + Int(op.c))
    if program.places[site].grows {
      return try growPlace(root, path, base + Int(op.b) + 1, by: read(op.b, fiber, base), &fiber, base)
    }
    try setPlace(root, path, to: read(op.b, fiber, base), &fiber, base)
  }

  mutating func setPlace(_ root: Operand, _ path: [PathStep], to value: Value, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    if case .subject(let index) = read(root.raw, fiber, base) { return try setSubject(index, path, to: value) }
    if case .device(let index) = read(root.raw, fiber, base), devices.indices.contains(index) {
      return try setField(of: index, path, to: value)
    }
    let parts = try countAdded(value, path, to: root, fiber, base)
    if root.isLocal {
      try fiber.slots[base + root.index].set(path, to: value)
    } else {
      try variables[root.index].set(path, to: value)
    }
    if let parts { remember(parts, at: root, fiber, base) }
  }

  /// The steps of a place, with the values of its indices starting at a local.
  private mutating func path(_ site: Int, _ fiber: borrowing Fiber, _ first: Int) -> [PathStep] {
    if program.places[site].isFixed { return program.places[site].members }
    var next = first
    var path: [PathStep] = []
    for step in program.places[site].steps {
      switch step {
      case .member(let name): path.append(.member(name))
      case .index:
        path.append(.index(fiber.slots[next]))
        next += 1
      }
    }
    return path
  }

  private mutating func setField(of device: Int, _ path: [PathStep], to value: Value) throws(Failure) {
    guard case .member(let name)? = path.first else { throw .value("a device has fields, not elements") }
    if DeviceFields.all.contains(name) { throw .value("`device.\(name)` cannot be set") }
    var fields = Value.record(devices[device].fields)
    if try fields.parts() + value.parts() > Value.partLimit { throw .tooManyParts }
    devices[device].fields = Record()
    // After a failure, the fields are unchanged.
    defer { if case .record(let record) = fields { devices[device].fields = record } }
    try fields.set(path, to: value)
    hasNews = true
  }

  /// Runs code that ends with `predicateEnd` in the top frame.
  mutating func evaluate(_ start: Int, _ fiber: inout Fiber, it: Value? = nil) throws(Failure) -> Value {
    let top = fiber.frames.count - 1
    let (pc, base) = (fiber.frames[top].pc, fiber.frames[top].base)
    let saved = fiber.slots[base]
    if let it { fiber.slots[base] = it }
    fiber.frames[top].pc = start
    // A condition is evaluated repeatedly while its fiber waits, so its rounds do not add up.
    let rounds = fiber.rounds
    fiber.rounds = 0
    defer { fiber.rounds = rounds }
    let wasAsking = isAsking
    isAsking = true
    let stop = interpret(&fiber, floor: top, isWhole: true)
    isAsking = wasAsking
    while fiber.frames.count > top + 1 { popFrame(&fiber) }
    fiber.frames[top].pc = pc
    if it != nil { fiber.slots[base] = saved }
    switch stop {
    case .predicate(let value): return value
    case .failed(let problem): throw problem.failure
    case .waits, .ended, .turnOver, .leaves:
      fiber.wait = .none
      throw .value("a condition can only compute: it cannot wait or end the run")
    }
  }

  /// Runs the prologue of a handler or an initialiser, which has no fiber.
  mutating func evaluate(unit: Int, at start: Int, device: Int? = nil) throws(Failure) -> Value {
    var fiber = Fiber(id: 0, role: .body)
    fiber.frames = [Frame(unit: unit, pc: start, base: 0, destination: 0)]
    fiber.slots = Array(filledWith: .nothing, count: max(program.units[unit].localCount, Operand.firstFree))
    if let device { fiber.slots[1] = .device(device) }
    return try evaluate(start, &fiber)
  }

  mutating func runInitialisers(where wanted: (Initialiser) -> Bool) {
    for initialiser in program.initialisers where wanted(initialiser) {
      // The same failure occurs again, with its place, when the body reaches the statement.
      guard let value = try? evaluate(unit: initialiser.unit, at: program.units[initialiser.unit].entry) else { continue }
      let isSecret = program.variables[initialiser.variable].kind == .secret
      if program.variables[initialiser.variable].kind == .remembered, value.holdsSecret { continue }
      let stored = isSecret ? value.named(program.variables[initialiser.variable].name) : value
      if initialiser.isConstant {
        variables.load(stored, at: initialiser.variable)
      } else {
        variables[initialiser.variable] = stored
      }
    }
  }

  /// Sets inputs that were not given to their defaults.
  mutating func runInputDefaults() {
    let missing = variables.indices.filter {
      variables[$0] == .unset && (program.variables[$0].kind == .input || program.variables[$0].kind == .secret)
    }
    runInitialisers { missing.contains($0.variable) }
  }

  mutating func take(_ remembered: [(name: String, value: [UInt8])]) {
    for entry in remembered {
      guard let index = program.variables.firstIndex(where: { $0.name == entry.name && $0.kind == .remembered }),
        let value = try? Value(encoded: entry.value)
      else { continue }
      variables.load(value, at: index)
    }
  }
}
