package import Adapters
package import Keeper
package import Linux
import Packets
package import Vocabulary

/// A keeper with its way to the controller, and with a memory for its successor.
///
/// Every input is stored in the memory before it is handled: a packet is read, stored, removed,
/// then handled. Output to the controller is marked before and after it is written. A successor
/// loads the last image, repeats the log, drops what the controller already has, and continues. The
/// controller notices nothing.
package final class KeeperEngine {
  /// The points at which the process could be killed. Tests kill it at each.
  package enum Step: Sendable, CaseIterable {
    case looked, written, taken, marked, handled, giving, given, noted, saved, reopened
  }

  private enum Route {
    case transport(any Transport)
    case line(any AdapterLine, KeeperMemory)
  }

  package private(set) var keeper: Keeper
  private var route: Route
  private var framer = H4Framer(isFromController: true)
  /// Reopens the way to the controller; `nil` if that is impossible.
  private let opening: (() throws(SystemFailure) -> any AdapterLine)?
  /// Returns the transport that waits for an unplugged adapter.
  private let findTransport: (() -> (any Transport)?)?
  /// Returns how the adapter was taken, for the next process; `nil` if that is unknown.
  private let adapterState: (() -> [UInt8]?)?
  /// The same from the process before this one.
  private var takenOverState: [UInt8] = []
  private var seed: UInt64 = 0
  /// Packets for the controller. Part of the first may already be written.
  private var outgoing: [[UInt8]] = []
  private var offset = 0
  private var isLost = false
  private var dropped: Int64?
  private var isReplaying = false
  private var pending = PendingOrders()
  private var isAnswering = false
  /// Whether the hook has killed it, so that it does nothing more.
  package private(set) var isDead = false
  private let hook: ((Step) -> Bool)?
  private var reports: [KeeperOutput] = []
  private var toolbox: Toolbox

  /// Creates an engine without a memory. What the transport holds is lost with the process.
  package init(keeper: Keeper, transport: any Transport, toolbox: Toolbox = Toolbox()) {
    self.keeper = keeper
    self.toolbox = toolbox
    route = .transport(transport)
    opening = nil
    findTransport = { transport }
    adapterState = nil
    hook = nil
  }

  /// Creates a new keeper with a memory.
  package init(
    keeper: Keeper, line: any AdapterLine, memory: KeeperMemory, opening: (() throws(SystemFailure) -> any AdapterLine)? = nil,
    findTransport: (() -> (any Transport)?)? = nil, adapterState: (() -> [UInt8]?)? = nil, toolbox: Toolbox = Toolbox(),
    hook: ((Step) -> Bool)? = nil
  ) {
    self.keeper = keeper
    self.toolbox = toolbox
    route = .line(line, memory)
    self.opening = opening
    self.findTransport = findTransport
    self.adapterState = adapterState
    self.hook = hook
    dropped = line.drops
    memory.save(image)
  }

  /// Creates the successor of a killed keeper; `nil` if its state cannot be used.
  ///
  /// - Parameter inheriting: Takes over how the earlier process took the adapter, before anything
  ///   else happens. Returns false if that is unusable.
  package init?(
    line: any AdapterLine, memory: KeeperMemory, process: Int32 = 0, seed: UInt64, at now: Instant,
    opening: (() throws(SystemFailure) -> any AdapterLine)? = nil, findTransport: (() -> (any Transport)?)? = nil,
    adapterState: (() -> [UInt8]?)? = nil, inheriting: (([UInt8]) -> Bool)? = nil, toolbox: Toolbox = Toolbox(),
    hook: ((Step) -> Bool)? = nil
  ) {
    self.toolbox = toolbox
    guard let past = memory.takeOver() else { return nil }
    var image = past.image.span.bytes
    do throws(DecodeError) {
      keeper = try image.next()
      framer = try image.next()
      outgoing = try image.next()
      isLost = try image.next()
      pending = try image.next()
      let counted = try image.next(UInt64?.self)
      dropped = counted.map { Int64(bitPattern: $0) }
      takenOverState = try image.next()
      guard image.isAtEnd else { return nil }
    } catch {
      return nil
    }
    route = .line(line, memory)
    self.opening = opening
    self.findTransport = findTransport
    self.adapterState = adapterState
    self.hook = hook
    guard replay(past, line, memory), inheriting?(takenOverState) ?? true else { return nil }
    keeper.process = process
    self.seed = seed
    answerOrders(at: now)
    for connection in keeper.connections { _ = handle(.gone(connection), at: now) }
    if let drops = line.drops, let dropped, drops != dropped { overflow(drops, at: now) }
    if !isLost, line is ClosedAdapterLine { _ = receiveOne(from: line, memory, at: now) }
    flush()
    // There is no client to send them to.
    reports.removeAll { output in if case .log = output { false } else { true } }
  }

  private var image: [UInt8] {
    var rest = outgoing
    if offset > 0, !rest.isEmpty { rest[0].removeFirst(min(offset, rest[0].count)) }
    var writer = ByteWriter(capacity: 65536)
    writer.put(all: keeper, framer, rest, isLost, pending)
    writer.put(all: dropped.map { UInt64(bitPattern: $0) }, adapterState?() ?? takenOverState)
    return writer.bytes
  }

  // MARK: Calls of the loop

  /// Whether another process could continue from the current state.
  package var canBeTakenOver: Bool {
    if case .line(_, let memory) = route { return memory.isInUse && !isLost }
    return false
  }

  package var nextDeadline: Moment? {
    if case .transport(let transport) = route { return earliest(keeper.nextDeadline, transport.nextMoment) }
    return earliest(keeper.nextDeadline, halfPacketDue)
  }

  /// When an incomplete packet is given up.
  private var halfPacketDue: Moment? {
    guard case .line = route, !isLost else { return nil }
    return framer.halfPacketDue
  }

  package var interest: Poll.Interest? {
    switch route {
    case .transport(let transport): transport.ending == nil ? transport.interest : nil
    case .line(let line, _): isLost ? findTransport?()?.interest : Poll.Interest(line.descriptor, writes: !outgoing.isEmpty)
    }
  }

  /// Writes pending packets to the controller.
  package func flush() {
    switch route {
    case .transport(let transport): transport.flush()
    case .line(let line, let memory): give(to: line, memory)
    }
  }

  /// Handles an input. Returns the outputs for the clients and the log.
  package func handle(_ input: KeeperInput, at now: Instant) -> [KeeperOutput] {
    guard !isDead else { return [] }
    if case .line(_, let memory) = route {
      write(.happened(input), now, memory)
      if dies(.written) { return [] }
    }
    process(input, at: now)
    flush()
    return finish()
  }

  /// Handles the packets that have arrived from the controller.
  package func receive(seed: UInt64, at now: Instant) -> [KeeperOutput] {
    guard !isDead else { return [] }
    self.seed = seed
    if isLost {
      // Packets are read once it is open again.
      guard let transport = findTransport?() else { return [] }
      _ = transport.receive(at: now)
      _ = transport.takeFaults()
      return transport.isBack ? handle(.transportBack, at: now) : finish()
    }
    switch route {
    case .transport(let transport):
      // Bounded, so that clients get their turn during a flood of packets.
      for _ in 0..<64 {
        let packets = transport.receive(at: now)
        let faults = transport.takeFaults()
        if packets.isEmpty, faults.isEmpty { break }
        for packet in packets { process(.packet(packet), at: now) }
        for fault in faults {
          switch fault {
          case .outOfStep: process(.outOfStep(fault.text), at: now)
          case .packetsDropped(let count): process(.packetsDropped(count), at: now)
          case .noAnswer, .backInStep, .halfPacket: reports.append(.log(fault.text))
          }
        }
      }
      if let ending = transport.ending, !isLost { process(.transportLost(ending), at: now) }
    case .line(let line, let memory):
      var rounds = 0
      while rounds < 64, !isDead, !isLost, receiveOne(from: line, memory, at: now) { rounds += 1 }
      if !isDead, let due = halfPacketDue, due <= now.moment {
        write(.gaveUp, now, memory)
        if !dies(.written) { giveUp() }
      }
      if !isDead, !isLost, let drops = line.drops, drops != dropped { overflow(drops, at: now) }
      if !isDead { flush() }
    }
    return finish()
  }

  /// Ends the use of the adapter, so that it can be given back.
  package func close() {
    guard case .line(let line, let memory) = route else { return }
    memory.giveUp()
    line.close()
  }

  private func finish() -> [KeeperOutput] {
    if isDead { return [] }
    if case .line(_, let memory) = route, memory.isCrowded {
      memory.save(image)
      _ = dies(.saved)
    }
    defer { reports = [] }
    return isDead ? [] : reports
  }

  private func dies(_ step: Step) -> Bool {
    if !isDead, let hook, hook(step) { isDead = true }
    return isDead
  }

  // MARK: The controller

  private func receiveOne(from line: any AdapterLine, _ memory: KeeperMemory, at now: Instant) -> Bool {
    switch line.look() {
    case .nothing: return false
    case .ended(let why):
      write(.happened(.transportLost(why)), now, memory)
      if !dies(.written) { process(.transportLost(why), at: now) }
      return false
    case .arrived(let bytes, let stamp):
      if dies(.looked) { return false }
      // Deadlines use the clock of this machine; users see the time of arrival.
      let when = Instant(moment: now.moment, wall: stamp.map { min($0, now.wall) } ?? now.wall)
      write(.arrived(bytes, stamp: stamp), when, memory)
      if dies(.written) { return false }
      line.take(bytes.count)
      if dies(.taken) { return false }
      memory.noteTaken()
      if dies(.marked) { return false }
      feed(bytes, at: when)
      if dies(.handled) { return false }
      give(to: line, memory)
      return true
    }
  }

  private func feed(_ bytes: [UInt8], at now: Instant) {
    framer.push(bytes[...], at: now.moment)
    while !isDead, let item = framer.next() {
      switch item {
      case .packet(let packet): process(.packet(packet), at: now)
      case .fault(.outOfStep(let octets)): process(.outOfStep(H4Fault.outOfStep(octets).text), at: now)
      case .fault(let fault): logFault(fault)
      }
    }
    // A socket that keeps packet boundaries never delivers the rest later.
    if case .line(let line, _) = route, line.form == .packets, framer.halfPacketDue != nil { giveUp() }
  }

  private func giveUp() { logFault(framer.giveUp()) }

  private func logFault(_ fault: H4Fault) { if !isReplaying { reports.append(.log(fault.text)) } }

  /// The kernel dropped packets, so the state of the links may be wrong.
  private func overflow(_ drops: Int64, at now: Instant) {
    let count = Int(clamping: drops.subtractingReportingOverflow(dropped ?? 0).partialValue)
    dropped = drops
    let input = KeeperInput.packetsDropped(max(1, count))
    if case .line(_, let memory) = route { write(.happened(input), now, memory) }
    process(input, at: now)
    if case .line(_, let memory) = route { memory.save(image) }
  }

  private func process(_ input: KeeperInput, at now: Instant) {
    pending.take(input)
    switch input {
    case .started(let seed):
      self.seed = seed
      isLost = false
    case .transportLost: isLost = true
    case .outOfStep, .packetsDropped: framer.distrust()
    default: break
    }
    for output in keeper.handle(input, at: now) {
      switch output {
      case .send(let packet):
        if case .transport(let transport) = route { transport.send(packet, at: now) } else { outgoing.append(packet) }
      case .compute, .reopen: pending.add(output)
      case .deliver, .drop, .log, .leave: if !isReplaying { reports.append(output) }
      }
    }
    if !isReplaying, !isAnswering { answerOrders(at: now) }
  }

  /// Performs the keeper's orders in order and answers each at once. An answer is logged before it
  /// is handled, so that a successor gets the same.
  private func answerOrders(at now: Instant) {
    isAnswering = true
    defer { isAnswering = false }
    while !isDead, let order = pending.first {
      let input: KeeperInput =
        switch order {
        case .compute(let id, let computation): .computed(id, toolbox.result(of: computation))
        case .reopen: reopened(at: now)
        }
      if isDead { return }
      if case .line(_, let memory) = route {
        write(.happened(input), now, memory)
        if dies(.written) { return }
      }
      process(input, at: now)
    }
  }

  private func reopened(at now: Instant) -> KeeperInput {
    do throws(SystemFailure) {
      switch route {
      case .transport(let transport): try transport.reopen(at: now)
      case .line(let old, let memory):
        guard let opening else { return .transportLost("it cannot be opened again") }
        old.close()
        let line = try opening()
        if dies(.reopened) { break }
        route = .line(line, memory)
        framer = H4Framer(isFromController: true)
        outgoing = []
        offset = 0
        dropped = line.drops
        // The answer is still owed. If the process is killed before it is logged, a successor
        // reopens the line once more.
        memory.save(image)
        _ = dies(.saved)
      }
      return .started(seed: seed)
    } catch {
      return .transportLost("\(error)")
    }
  }

  private func give(to line: any AdapterLine, _ memory: KeeperMemory) {
    while !isDead, let packet = outgoing.first {
      let rest = packet[offset...]
      memory.noteGiving(upTo: memory.marks.given + UInt64(rest.count))
      if dies(.giving) { return }
      let count = line.give(rest)
      if dies(.given) { return }
      guard let count, count > 0 else {
        memory.noteGiving(upTo: memory.marks.given)
        // The line is broken. `look` reports the end after the input before it was read.
        if count == nil { outgoing = [] }
        if count == nil { offset = 0 }
        return
      }
      memory.noteGiven(upTo: memory.marks.given + UInt64(count))
      if offset + count < packet.count {
        offset += count
        memory.noteGiving(upTo: memory.marks.given)
      } else {
        offset = 0
        outgoing.removeFirst()
      }
      if dies(.noted) { return }
    }
  }

  // MARK: The memory

  private func write(_ entry: KeeperEntry, _ now: Instant, _ memory: KeeperMemory) {
    guard memory.isInUse else { return }
    var writer = ByteWriter()
    writer.put(all: now, entry)
    if memory.append(writer.bytes) { return }
    // There is no room after this image, but there is after a new one.
    if memory.save(image), !memory.append(writer.bytes) { memory.giveUp() }
  }

  private func replay(_ past: KeeperMemory.Past, _ line: any AdapterLine, _ memory: KeeperMemory) -> Bool {
    isReplaying = true
    defer { isReplaying = false }
    var chunks: UInt64 = 0
    var last: (bytes: [UInt8], stamp: WallTime?)?
    for bytes in past.entries {
      var entry = bytes.span.bytes
      do throws(DecodeError) {
        let when = try entry.next(Instant.self)
        switch try entry.next(KeeperEntry.self) {
        case .happened(let input): process(input, at: when)
        case .gaveUp: giveUp()
        case .arrived(let bytes, let stamp):
          chunks += 1
          last = (bytes, stamp)
          feed(bytes, at: when)
        }
        guard entry.isAtEnd else { return false }
      } catch {
        return false
      }
    }
    // Count what may have been written as written, because writing it twice would be worse.
    var given = max(past.marks.giving, past.marks.given)
    memory.noteGiven(upTo: given)
    memory.noteGiving(upTo: given)
    while given > 0, let first = outgoing.first {
      if UInt64(first.count) > given {
        offset = Int(given)
        break
      }
      given -= UInt64(first.count)
      outgoing.removeFirst()
    }
    if past.marks.taken < chunks, let last {
      // The log has it. Only the socket knows whether it was already removed.
      switch line.form {
      case .octets: if let pending = line.pending, pending > 0 { line.take(pending) }
      case .packets: if line.look() == .arrived(last.bytes, at: last.stamp) { line.take(last.bytes.count) }
      }
      memory.noteTaken()
    } else {
      line.lookAgain()
    }
    return true
  }
}
