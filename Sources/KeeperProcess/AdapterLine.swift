package import Linux

/// A way to a controller that outlives the process: what has arrived is looked at, made safe, and
/// only then taken away.
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

extension AdapterSocket: AdapterLine {}
