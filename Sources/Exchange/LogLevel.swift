/// The severity of a line of the log.
package enum LogLevel: UInt8, Comparable, Sendable {
  case debug, log, warning, error

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
