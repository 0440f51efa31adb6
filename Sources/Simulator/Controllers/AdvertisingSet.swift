import Packets
import Vocabulary

/// An advertising set. Legacy advertising is a set without a number.
struct AdvertisingSet: Sendable {
  /// The advertising handle; `nil` for legacy advertising.
  var number: UInt8?
  var type: AdvertisingType = .connectableUndirected
  /// Whether it uses legacy PDUs, which every scanner receives.
  var isLegacy = true
  var isAnonymous = false
  /// In 0.625 ms.
  var interval: UInt32 = 0x0800
  var ownAddressType: OwnAddressType = .public
  /// The set's own random address (extended), in 48 bits.
  var randomAddress: UInt64?
  var target = Address(bits: 0, kind: .public)
  var filterPolicy: AdvertisingFilterPolicy = .all
  var setIdentifier: UInt8 = 0
  /// 1: LE 1M, 3: LE Coded.
  var primaryPHY: UInt8 = 1
  /// 1: LE 1M, 2: LE 2M, 3: LE Coded.
  var secondaryPHY: UInt8 = 1
  var data: [UInt8] = []
  var response: [UInt8] = []

  var isEnabled = false
  /// The advertiser's address while it is enabled.
  var address = Address(bits: 0, kind: .public)
  /// When high-duty directed advertising or a set with a duration ends.
  var ends: Moment?
  var maximumEvents: UInt8 = 0
  var events: UInt64 = 0
  /// The valid generation in the agenda. A set without listeners has no entry.
  var generation: UInt64 = 0
  var scheduled: Moment?

  /// Connectable extended PDUs are not scannable (Vol 6, Part B, 2.3.1).
  var isScannable: Bool { type.isScannable && (isLegacy || !type.isConnectable) }

  /// The time between events. High-duty directed advertising has at most 3.75 ms between PDUs and
  /// no random delay (Vol 6, Part B, 4.4.2.4.3).
  var span: TimeSpan { type == .directedHighDuty ? .microseconds(3750) : .microseconds(625) * Int64(interval) }
  var randomDelay: TimeSpan { type == .directedHighDuty ? .zero : .milliseconds(10) }
}
