import Linux

/// The line of an adapter that was unplugged while no keeper was running.
final class ClosedAdapterLine: AdapterLine {
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
