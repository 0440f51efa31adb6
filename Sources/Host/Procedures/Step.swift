import Exchange
import Packets

/// The next step of a procedure: send a request, finish, or fail.
enum Step<Output> {
  case send(ATTPDU)
  case done(Output)
  case failed(Failure)
}

extension Step: Equatable where Output: Equatable {}

/// A GATT procedure as a fold over responses. ATT allows one request at a time, so each response
/// belongs to the last request. The bearer has checked that it is its response or an Error Response
/// to it. Every procedure must terminate.
protocol Procedure: Equatable, Sendable {
  associatedtype Output
  mutating func start() -> Step<Output>
  mutating func receive(_ answer: ATTPDU) -> Step<Output>
}
