import Journal
import Session

/// A failure that ends a command with an exit code of its own.
protocol CommandFailure: Error {
  var message: String { get }
  var hint: String? { get }
  var exitCode: Int32 { get }
}

extension JournalFailure: CommandFailure {}
extension ServiceFailure: CommandFailure {}

extension Console {
  /// The exit code of a command. A failure is told here, a wrong command line by who called it.
  func exitCode(of command: () throws -> Int32) throws(UsageError) -> Int32 {
    do {
      return try command()
    } catch let failure as UsageError {
      throw failure
    } catch let failure as any CommandFailure {
      complain(failure.message, hint: failure.hint)
      return failure.exitCode
    } catch {
      complain("\(error)")
      return 12
    }
  }
}
