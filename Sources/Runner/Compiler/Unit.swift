import Exchange
import Recipe

/// Code with locals of its own: the body, a handler, a procedure, or the value of an early `let`.
package struct Unit: Equatable, Sendable {
  package enum Role: Equatable, Sendable {
    case body
    case handler(HandlerSite)
    case procedure(name: String, parameters: Int)
    case initialiser
    /// The body of a `for each … at once`.
    case branch
    /// An entry of a prompt: the instruction after its last statement, and its handlers.
    case entry(end: Int, handlers: [Int])
  }

  package var role: Role
  package var entry: Int
  package var localCount: Int
  /// The name of each local. Hidden locals are named by statement and number, so that an edited
  /// recipe finds them again.
  package var localKeys: [LocalKey]
  /// The statement, handler or procedure that it belongs to.
  package var owner: Int?

  /// What a call of it needs; `nil` if it cannot be called.
  var call: (parameters: Int, locals: Int, entry: Int)? {
    guard case .procedure(_, let parameters) = role else { return nil }
    return (parameters, max(localCount, Operand.firstFree + parameters), entry)
  }
}
