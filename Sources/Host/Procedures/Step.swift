import Exchange
import Packets

/// What a procedure does next: ask, end well, or fail.
enum Step<Output> {
  case send(ATTPDU)
  case done(Output)
  case failed(Failure)
}

extension Step: Equatable where Output: Equatable {}

/// A GATT procedure as a fold over answers. ATT allows one request at a time, so each answer
/// belongs to the request before it; the bearer has made sure that it is that request's response or
/// an Error Response to it. Every procedure proves that it comes to an end.
protocol Procedure: Equatable, Sendable {
  associatedtype Output
  mutating func start() -> Step<Output>
  mutating func receive(_ answer: ATTPDU) -> Step<Output>
}
