package import Vocabulary

/// The opcode of an HCI command: group in the upper six bits, command in the lower ten (Vol 4, Part
/// E, 5.4.1).
package struct HCIOpcode: Hashable, Comparable, Portable {
  package var raw: UInt16

  package init(_ raw: UInt16) { self.raw = raw }

  package static let disconnect = HCIOpcode(0x0406)
  package static let readRemoteVersion = HCIOpcode(0x041D)
  package static let setEventMask = HCIOpcode(0x0C01)
  package static let reset = HCIOpcode(0x0C03)
  package static let readTransmitPower = HCIOpcode(0x0C2D)
  package static let setEventMaskPage2 = HCIOpcode(0x0C63)
  package static let readAuthenticatedPayloadTimeout = HCIOpcode(0x0C7B)
  package static let writeAuthenticatedPayloadTimeout = HCIOpcode(0x0C7C)
  package static let readLocalVersion = HCIOpcode(0x1001)
  package static let readLocalSupportedCommands = HCIOpcode(0x1002)
  package static let readLocalSupportedFeatures = HCIOpcode(0x1003)
  package static let readBufferSize = HCIOpcode(0x1005)
  package static let readAddress = HCIOpcode(0x1009)
  package static let readRSSI = HCIOpcode(0x1405)
  package static let leSetEventMask = HCIOpcode(0x2001)
  package static let leReadBufferSize = HCIOpcode(0x2002)
  package static let leReadLocalSupportedFeatures = HCIOpcode(0x2003)
  package static let leSetRandomAddress = HCIOpcode(0x2005)
  package static let leSetAdvertisingParameters = HCIOpcode(0x2006)
  package static let leReadAdvertisingTransmitPower = HCIOpcode(0x2007)
  package static let leSetAdvertisingData = HCIOpcode(0x2008)
  package static let leSetScanResponseData = HCIOpcode(0x2009)
  package static let leSetAdvertisingEnable = HCIOpcode(0x200A)
  package static let leSetScanParameters = HCIOpcode(0x200B)
  package static let leSetScanEnable = HCIOpcode(0x200C)
  package static let leCreateConnection = HCIOpcode(0x200D)
  package static let leCreateConnectionCancel = HCIOpcode(0x200E)
  package static let leReadFilterAcceptListSize = HCIOpcode(0x200F)
  package static let leClearFilterAcceptList = HCIOpcode(0x2010)
  package static let leAddToFilterAcceptList = HCIOpcode(0x2011)
  package static let leRemoveFromFilterAcceptList = HCIOpcode(0x2012)
  package static let leConnectionUpdate = HCIOpcode(0x2013)
  package static let leSetHostChannelClassification = HCIOpcode(0x2014)
  package static let leReadChannelMap = HCIOpcode(0x2015)
  package static let leReadRemoteFeatures = HCIOpcode(0x2016)
  package static let leEncrypt = HCIOpcode(0x2017)
  package static let leRand = HCIOpcode(0x2018)
  package static let leEnableEncryption = HCIOpcode(0x2019)
  package static let leLongTermKeyRequestReply = HCIOpcode(0x201A)
  package static let leLongTermKeyRequestNegativeReply = HCIOpcode(0x201B)
  package static let leReadSupportedStates = HCIOpcode(0x201C)
  package static let leConnectionParameterRequestReply = HCIOpcode(0x2020)
  package static let leConnectionParameterRequestNegativeReply = HCIOpcode(0x2021)
  package static let leSetDataLength = HCIOpcode(0x2022)
  package static let leReadSuggestedDefaultDataLength = HCIOpcode(0x2023)
  package static let leWriteSuggestedDefaultDataLength = HCIOpcode(0x2024)
  package static let leAddToResolvingList = HCIOpcode(0x2027)
  package static let leRemoveFromResolvingList = HCIOpcode(0x2028)
  package static let leClearResolvingList = HCIOpcode(0x2029)
  package static let leReadResolvingListSize = HCIOpcode(0x202A)
  package static let leReadPeerResolvableAddress = HCIOpcode(0x202B)
  package static let leReadLocalResolvableAddress = HCIOpcode(0x202C)
  package static let leSetAddressResolutionEnable = HCIOpcode(0x202D)
  package static let leSetResolvableAddressTimeout = HCIOpcode(0x202E)
  package static let leReadMaximumDataLength = HCIOpcode(0x202F)
  package static let leReadPHY = HCIOpcode(0x2030)
  package static let leSetDefaultPHY = HCIOpcode(0x2031)
  package static let leSetPHY = HCIOpcode(0x2032)
  package static let leSetAdvertisingSetRandomAddress = HCIOpcode(0x2035)
  package static let leSetExtendedAdvertisingParameters = HCIOpcode(0x2036)
  package static let leSetExtendedAdvertisingData = HCIOpcode(0x2037)
  package static let leSetExtendedScanResponseData = HCIOpcode(0x2038)
  package static let leSetExtendedAdvertisingEnable = HCIOpcode(0x2039)
  package static let leReadMaximumAdvertisingDataLength = HCIOpcode(0x203A)
  package static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(0x203B)
  package static let leRemoveAdvertisingSet = HCIOpcode(0x203C)
  package static let leClearAdvertisingSets = HCIOpcode(0x203D)
  package static let leSetExtendedScanParameters = HCIOpcode(0x2041)
  package static let leSetExtendedScanEnable = HCIOpcode(0x2042)
  package static let leExtendedCreateConnection = HCIOpcode(0x2043)
  package static let leSetPrivacyMode = HCIOpcode(0x204E)
  package static let leReadBufferSizeV2 = HCIOpcode(0x2060)

  package var group: UInt8 { UInt8(truncatingIfNeeded: raw >> 10) }
  package var command: UInt16 { raw & 0x03FF }

  package static func < (left: HCIOpcode, right: HCIOpcode) -> Bool { left.raw < right.raw }

  package init(reading reader: inout RawSpan) throws(DecodeError) { raw = try reader.readUInt16() }

  package func write(to writer: inout ByteWriter) { writer.put(raw) }
}
