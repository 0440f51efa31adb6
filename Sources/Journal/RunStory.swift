package import Vocabulary

/// A line of a run's history for the user. It is not part of the checkpoint.
package struct StoryLine: Equatable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A process of the run was gone from here until `restored`.
    case died
    case restored
    case linked
    /// The link ended without a request.
    case lost
    case closed
    /// The adapter was in trouble, and came back.
    case away, ready
    /// A failure ended the run or a handler.
    case failed
    /// A failure of an earlier run in the same database.
    case earlier
    /// A `log` and a `warn` of the recipe.
    case logged, warned
  }

  package var at: WallTime
  package var kind: Kind
  /// The name of the device, or its address.
  package var device: String?
  package var text: String

  package init(_ kind: Kind, device: String? = nil, _ text: String = "", at: WallTime) {
    self.at = at
    self.kind = kind
    self.device = device
    self.text = text
  }
}

package struct RunStory: Equatable, Sendable {
  package var lines: [StoryLine] = []
  /// The failures of earlier runs that this one replaced, the newest last.
  package var earlier: [StoryLine] = []
  /// What the recipe logged last, the newest last.
  package var logged: [StoryLine] = []
  /// The number of older lines that were dropped.
  package var dropped = 0
  /// The number of values from devices, by minutes since 1970.
  package var values: [(minute: Int64, count: Int)] = []

  package init(lines: [StoryLine] = [], dropped: Int = 0, values: [(minute: Int64, count: Int)] = []) {
    self.lines = lines
    self.dropped = dropped
    self.values = values
  }

  package static func == (left: RunStory, right: RunStory) -> Bool {
    left.lines == right.lines && left.earlier == right.earlier && left.logged == right.logged && left.dropped == right.dropped
      && left.values.elementsEqual(right.values) { $0.minute == $1.minute && $0.count == $1.count }
  }

  /// The most lines of a run; older ones are dropped.
  package static let most = 10_000
  /// The most failures of earlier runs; older ones are dropped.
  package static let mostEarlier = 20
  /// The most lines of a recipe's log; older ones are dropped.
  package static let mostLogged = 20
  /// How many minutes of value counts are stored.
  package static let minutes: Int64 = 24 * 60
  /// The most bytes of a device and of a text.
  static let longest = 512
}

/// Lines that wait for the next commit. In a database without tables for them, the first line
/// creates these.
struct StoryWriter {
  private var lines: [StoryLine] = []
  /// The newest lines of the log. In the database their numbers are below zero, in a ring, and
  /// their device is their place in the order.
  private var logged: [StoryLine] = []
  /// The place of the newest line of the log; `nil` until the tables were checked.
  private var newestLogged: Int64?
  private var counted: [(minute: Int64, count: Int)] = []
  private var current: (minute: Int64, count: Int)?
  /// The number of the newest line; `nil` until the tables were checked.
  private var newest: Int64?
  private var putLine = LateStatement("INSERT OR REPLACE INTO timeline VALUES(?1, ?2, ?3, ?4, ?5)")
  private var putMinute = LateStatement(
    "INSERT INTO minutes VALUES(?1, ?2) ON CONFLICT(minute) DO UPDATE SET count = count + excluded.count")

  /// The most lines that may wait. Nothing is written while the machine is busy.
  private static let waiting = 1024

  private static let tables = """
    CREATE TABLE IF NOT EXISTS timeline(n INTEGER PRIMARY KEY,at,kind,device,text);\
    CREATE TABLE IF NOT EXISTS minutes(minute INTEGER PRIMARY KEY,count)
    """

  /// The tables exist and are empty.
  mutating func begin() { (newest, newestLogged) = (0, 0) }

  mutating func note(_ line: StoryLine) {
    guard lines.count < Self.waiting else { return }
    lines.append(line)
  }

  mutating func log(_ line: StoryLine) {
    if logged.count == RunStory.mostLogged { logged.removeFirst() }
    logged.append(line)
  }

  mutating func count(valueAt time: WallTime) {
    let minute = time.nanoseconds / 60_000_000_000
    if current?.minute == minute {
      current?.count += 1
      return
    }
    endMinute()
    current = (minute, 1)
  }

  /// Adds the values of a minute, when it is over or the run ends.
  mutating func endMinute() {
    if let current { counted.append(current) }
    current = nil
  }

  var isEmpty: Bool { lines.isEmpty && logged.isEmpty && counted.isEmpty }

  /// Writes the waiting lines, within a transaction.
  mutating func write(to database: Database) throws(JournalFailure) {
    guard !isEmpty else { return }
    var number: Int64
    if let newest {
      number = newest
    } else {
      try database.execute(Self.tables)
      // An edited file must not cause an overflow.
      number = min(max(0, try database.number("SELECT max(n) FROM timeline")), .max / 2)
    }
    for line in lines {
      number += 1
      try put(line, number, line.device ?? "", database)
    }
    let oldest = number - Int64(RunStory.most)
    if !lines.isEmpty, oldest > 0 { try database.execute("DELETE FROM timeline WHERE n BETWEEN 1 AND \(oldest)") }
    if !logged.isEmpty {
      var place: Int64
      if let newestLogged {
        place = newestLogged
      } else {
        place = try database.number("SELECT max(CAST(device AS INTEGER)) FROM timeline WHERE n < 0")
      }
      place = min(max(0, place), .max / 2)
      for line in logged {
        place += 1
        try put(line, -1 - place % Int64(RunStory.mostLogged), "\(place)", database)
      }
      newestLogged = place
    }
    if let last = counted.last?.minute {
      let putMinute = try putMinute.prepared(in: database)
      for (minute, count) in counted {
        putMinute.bind(1, minute)
        putMinute.bind(2, Int64(count))
        try putMinute.run()
      }
      try database.execute("DELETE FROM minutes WHERE minute <= \(last - RunStory.minutes)")
    }
    newest = number
    lines = []
    logged = []
    counted = []
  }

  private mutating func put(_ line: StoryLine, _ number: Int64, _ device: String, _ database: Database) throws(JournalFailure) {
    let putLine = try putLine.prepared(in: database)
    putLine.bind(1, number)
    putLine.bind(2, line.at.nanoseconds)
    putLine.bind(3, line.kind.rawValue)
    putLine.bind(4, Self.short(device))
    putLine.bind(5, Self.short(line.text))
    try putLine.run()
  }

  /// Another run starts in the same database, and the failures of the last one are kept. Within a
  /// transaction.
  mutating func clear(_ database: Database) throws(JournalFailure) {
    let failures =
      try Self.isThere(database)
      ? Self.lines(database, "WHERE kind IN ('earlier', 'failed') ORDER BY n DESC LIMIT \(RunStory.mostEarlier)") : []
    try database.execute("DROP TABLE IF EXISTS timeline; DROP TABLE IF EXISTS minutes")
    self = StoryWriter()
    for line in failures.reversed() { note(StoryLine(.earlier, device: line.device, line.text, at: line.at)) }
    try write(to: database)
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= RunStory.longest ? text : String(text.unicodeScalars.prefix(RunStory.longest / 4))
  }

  /// Whether the tables exist, which the first line creates.
  private static func isThere(_ database: Database) throws(JournalFailure) -> Bool {
    try database.number("SELECT count(*) FROM sqlite_master WHERE name IN ('timeline', 'minutes')") == 2
  }

  private static func lines(_ database: Database, _ choice: String) throws(JournalFailure) -> [StoryLine] {
    var lines: [StoryLine] = []
    let line = try database.prepare("SELECT at, kind, device, text FROM timeline \(choice)")
    while try line.step() {
      // A newer version may have written an unknown kind.
      guard let kind = StoryLine.Kind(rawValue: line.text(1)) else { continue }
      let device = line.text(2)
      lines.append(StoryLine(kind, device: device.isEmpty ? nil : device, line.text(3), at: WallTime(nanoseconds: line.integer(0))))
    }
    return lines
  }

  static func read(_ database: Database) throws(JournalFailure) -> RunStory {
    var story = RunStory()
    guard try isThere(database) else { return story }
    for line in try lines(database, "WHERE n > 0 ORDER BY n") {
      if line.kind == .earlier { story.earlier.append(line) } else { story.lines.append(line) }
    }
    for var line in try lines(database, "WHERE n < 0 ORDER BY CAST(device AS INTEGER) LIMIT \(RunStory.mostLogged)") {
      line.device = nil
      story.logged.append(line)
    }
    story.dropped = max(0, Int(try database.number("SELECT coalesce(min(n), 1) - 1 FROM timeline WHERE n > 0")))
    let minute = try database.prepare("SELECT minute, count FROM minutes ORDER BY minute")
    while try minute.step() {
      let (number, count) = (minute.integer(0), minute.integer(1))
      // Other numbers were not written by tooth.
      guard (1...1 << 32).contains(count), (0...1 << 40).contains(number),
        number - (story.values.first?.minute ?? number) <= RunStory.minutes * 2
      else { continue }
      story.values.append((number, Int(count)))
    }
    return story
  }
}
