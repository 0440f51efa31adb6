import Journal
import Session

/// A failure that ends a command with its own exit code.
protocol CommandFailure: Error {
  var message: String { get }
  var hint: String? { get }
  var exitCode: Int32 { get }
}

extension JournalFailure: CommandFailure {}
extension ServiceFailure: CommandFailure {}

extension Console {
  /// Runs a command and returns its exit code. Reports failures, except usage errors, which the
  /// caller reports.
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
