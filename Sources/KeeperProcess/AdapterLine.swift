package import Linux

/// A way to a controller that outlives the process. Input is read, stored safely, and only then
/// removed.
package protocol AdapterLine: AnyObject {
  var form: AdapterSocket.Form { get }
  func look() -> AdapterSocket.Look
  func take(_ count: Int)
  /// The octets that were read but not removed; `nil` if they are not counted.
  var pending: Int? { get }
  func lookAgain()
  func give(_ bytes: ArraySlice<UInt8>) -> Int?
  /// The number of packets lost for lack of room.
  var drops: Int64? { get }
  var descriptor: Int32 { get }
  /// Stops reading and writing.
  func close()
}

extension AdapterSocket: AdapterLine {}
