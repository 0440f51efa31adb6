import Keeper
import Vocabulary

/// An entry in the log of a keeper, after its image.
enum KeeperEntry: Portable {
  case happened(KeeperInput)
  case arrived([UInt8], stamp: WallTime?)
  /// An incomplete packet was given up.
  case gaveUp

  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .happened(try reader.next())
    case 1: self = .arrived(try reader.next(), stamp: try reader.next())
    case 2: self = .gaveUp
    case let other: throw .invalid("entry", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .happened(let input): writer.put(all: UInt8(0), input)
    case .arrived(let bytes, let stamp): writer.put(all: UInt8(1), bytes, stamp)
    case .gaveUp: writer.put(UInt8(2))
    }
  }
}
