/// A statement that is prepared at its first use.
struct LateStatement {
  private let text: String
  private var statement: Database.Statement?

  init(_ text: String) { self.text = text }

  mutating func prepared(in database: Database) throws(JournalFailure) -> Database.Statement {
    if let statement { return statement }
    let made = try database.prepare(text)
    statement = made
    return made
  }
}
