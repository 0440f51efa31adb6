package import Linux

/// A way to a controller that outlives the process: what has arrived is looked at, made safe, and only then taken away.
package protocol AdapterLine: AnyObject {
  var form: AdapterSocket.Form { get }
  func look() -> AdapterSocket.Look
  func take(_ count: Int)
  /// Octets looked at and not taken, where that is counted.
  var pending: Int? { get }
  func lookAgain()
  func give(_ bytes: ArraySlice<UInt8>) -> Int?
  /// Packets lost for want of room.
  var drops: Int64? { get }
  var descriptor: Int32 { get }
  /// Nothing is looked at or given any more.
  func close()
}

/// The way to an adapter that went while nobody was there.
final class GoneLine: AdapterLine {
  private let why: String

  init(_ why: String) { self.why = why }

  var form: AdapterSocket.Form { .packets }
  func look() -> AdapterSocket.Look { .ended(why) }
  func take(_ count: Int) {}
  var pending: Int? { nil }
  func lookAgain() {}
  func give(_ bytes: ArraySlice<UInt8>) -> Int? { nil }
  var drops: Int64? { nil }
  var descriptor: Int32 { -1 }
  func close() {}
}

extension AdapterSocket: AdapterLine {}
