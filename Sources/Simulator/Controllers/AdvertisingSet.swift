import Packets
import Vocabulary

/// One set of advertising. Legacy advertising is a set that no command numbers.
struct AdvertisingSet: Sendable {
  /// The advertising handle; nothing for legacy advertising.
  var number: UInt8?
  var type: AdvertisingType = .connectableUndirected
  /// Whether it goes out in legacy PDUs, which everybody hears.
  var isLegacy = true
  var isAnonymous = false
  /// In 0.625 ms.
  var interval: UInt32 = 0x0800
  var ownAddressType: OwnAddressType = .public
  /// The set's own random address (extended), in 48 bits.
  var randomAddress: UInt64?
  var target = Address(bits: 0, kind: .public)
  var filterPolicy: AdvertisingFilterPolicy = .everybody
  var setIdentifier: UInt8 = 0
  /// 1 LE 1M, 3 LE Coded.
  var primaryPHY: UInt8 = 1
  /// 1 LE 1M, 2 LE 2M, 3 LE Coded.
  var secondaryPHY: UInt8 = 1
  var data: [UInt8] = []
  var response: [UInt8] = []

  var isEnabled = false
  /// What it says it is while enabled.
  var address = Address(bits: 0, kind: .public)
  /// Directed advertising at high duty, and sets with a duration, end by themselves.
  var ends: Moment?
  var maximumEvents: UInt8 = 0
  var events: UInt64 = 0
  /// The entry of the agenda that counts; a set that nobody listens to has none.
  var generation: UInt64 = 0
  var scheduled: Moment?

  /// Connectable PDUs of the extended kind are not scannable (Vol 6, Part B, 2.3.1).
  var isScannable: Bool { type.isScannable && (isLegacy || !type.isConnectable) }

  /// High duty directed advertising leaves at most 3.75 ms between PDUs and has no random delay
  /// (Vol 6, Part B, 4.4.2.4.3).
  var span: TimeSpan { type == .directedHighDuty ? .microseconds(3750) : .microseconds(625) * Int64(interval) }
  var randomDelay: TimeSpan { type == .directedHighDuty ? .zero : .milliseconds(10) }
}
