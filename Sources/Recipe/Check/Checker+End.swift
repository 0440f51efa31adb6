import Exchange
import Vocabulary

/// T232: handlers that can never run, because the body ends first.
extension Checker {
  /// Reports handlers that can never run, because the body ends first.
  mutating func checkEnd() {
    var handlers: [Member] = []
    for member in recipe.body {
      switch member {
      case .handler, .whenever: handlers.append(member)
      case .statement: continue
      }
    }
    if case .statement(let last)? = recipe.body.last(where: { if case .statement = $0 { true } else { false } }),
      case .serve = last.kind
    {
      let end = SourceRange(file: last.range.file, start: last.range.end, end: last.range.end)
      report(
        Diagnostic(
          "T232", "the recipe ends after line \(line(last.header)), before any client can connect to this", at: last.header,
          "it is only served while the recipe runs",
          fixes: ["wait forever", "wait 10min"].map { .insert("\n" + $0, after: end, lead: "add at the end") }))
    }
    guard handlers.contains(where: { needsTime($0) }) else { return }
    let course = Course(of: recipe, facts)
    for member in handlers {
      guard needsTime(member), !hasTime(member, course) else { continue }
      reportEnd(member)
      return
    }
  }

  func needsTime(_ member: Member) -> Bool {
    switch member {
    case .whenever: return true
    case .statement: return false
    case .handler(let handler):
      switch handler.kind {
      case .every, .after: return true
      case .on(let event):
        switch event.kind {
        case .attribute(.notify, _, _), .advertisement, .connect: return true
        default: return false
        }
      }
    }
  }

  /// Whether the body waits after the first statement that can cause the handler's event.
  func hasTime(_ member: Member, _ course: Course) -> Bool {
    var feed: Int?
    if case .handler(let handler) = member, case .on(let event) = handler.kind {
      switch event.kind {
      case .attribute(.notify, _, let path):
        feed = facts.key(path).map { Course.first(course.subscribed[$0], course.subscribedUnknown) } ?? course.subscribedAny
      case .connect: feed = course.connected
      default: break
      }
    }
    // Another fiber causes the event, so any wait of the body is enough.
    let from = feed ?? -1
    // In a loop, a wait above the statement also counts.
    return course.lastWait > from || from >= 0 && course.isInWaitingLoop(from)
  }

  mutating func reportEnd(_ member: Member) {
    let last = recipe.body.last { if case .statement = $0 { $0.range.file == 0 } else { false } }
    let place = last?.range ?? member.range
    let end = SourceRange(file: place.file, start: place.end, end: place.end)
    let line = sources[of: place].line(of: place.end)
    let header = header(of: member)
    let name = place.file == header.file ? "line \(line)" : "line \(line) of \(sources[of: place].name)"
    let waits = connections.isEmpty ? ["wait forever", "wait 10min"] : ["reconnect forever", "wait forever", "wait 10min"]
    report(
      Diagnostic(
        "T232",
        last == nil
          ? "the recipe ends before this can do anything" : "the recipe ends after \(name), before this can do anything",
        at: header, "it needs time to run", fixes: waits.map { .insert("\n" + $0, after: end, lead: "add at the end") })
    )
  }
}

/// The order of what the body does, as far as handlers depend on it. Numbers are statement ids.
struct Course {
  /// The last statement that waits; -1 if there is none.
  private(set) var lastWait = -1
  /// The first statement that connects, directly or through a procedure.
  private(set) var connected: Int?
  /// The first statement that subscribes to each characteristic, to a computed one, and to any.
  private(set) var subscribed: [Facts.AttributeKey: Int] = [:]
  private(set) var subscribedUnknown: Int?
  private(set) var subscribedAny: Int?
  /// Outermost loops that wait, as ranges of statement ids, in order.
  private var loops: [ClosedRange<Int>] = []

  private struct Feeds {
    var connects = false
    var keys: [Facts.AttributeKey?] = []

    mutating func add(_ statement: Statement, _ facts: Facts) {
      switch statement.kind {
      case .connect: connects = true
      case .subscribe(let subscribe): keys += subscribe.attributes.map { facts.key($0) }
      default: break
      }
    }
  }

  init(of recipe: RecipeFile, _ facts: Facts) {
    var procedures: [String: Feeds] = [:]
    for procedure in recipe.procedures where procedures[procedure.name.text] == nil {
      var feeds = Feeds()
      procedure.body.forEachStatement(handlers: false) { feeds.add($0, facts) }
      procedures[procedure.name.text] = feeds
    }
    var waits: [Int] = []
    recipe.body.forEachStatement(handlers: false) { statement in
      if statement.kind.waits || facts.isWaitingCall(statement) { waits.append(statement.id) }
      var feeds = Feeds()
      feeds.add(statement, facts)
      if let name = statement.kind.calledProcedure, let called = procedures[name.text] {
        feeds.connects = feeds.connects || called.connects
        feeds.keys += called.keys
      }
      take(feeds, statement.id)
    }
    waits.sort()
    lastWait = waits.last ?? -1
    recipe.body.forEachStatement(handlers: false) { statement in
      switch statement.kind {
      case .repeat, .forEach: break
      default: return
      }
      if let outer = loops.last, outer.contains(statement.id) { return }
      var end = statement.id
      statement.forEachStatement(handlers: false) { end = max(end, $0.id) }
      let next = Self.place(of: statement.id + 1, in: waits)
      if next < waits.count, waits[next] <= end { loops.append(statement.id...end) }
    }
  }

  private mutating func take(_ feeds: Feeds, _ id: Int) {
    if feeds.connects, connected == nil { connected = id }
    for key in feeds.keys {
      if subscribedAny == nil { subscribedAny = id }
      if let key {
        if subscribed[key] == nil { subscribed[key] = id }
      } else if subscribedUnknown == nil {
        subscribedUnknown = id
      }
    }
  }

  static func first(_ a: Int?, _ b: Int?) -> Int? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }

  func isInWaitingLoop(_ id: Int) -> Bool {
    var (low, high) = (0, loops.count)
    while low < high {
      let middle = (low + high) / 2
      if loops[middle].upperBound < id { low = middle + 1 } else { high = middle }
    }
    return low < loops.count && loops[low].contains(id)
  }

  /// The index of the first number that is not less.
  private static func place(of number: Int, in sorted: [Int]) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
