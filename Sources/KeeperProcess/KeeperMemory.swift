package import Linux
import Vocabulary

/// The memory for a keeper's successor: an image of the whole state and a log of later inputs, in
/// memory that outlives the process.
///
/// It has two halves, each with an image and its log; the header, which is written last, names the
/// valid half. An entry of the log is valid once the length of the log includes it. So the contents
/// are consistent whenever the process is killed.
package final class KeeperMemory {
  /// The progress of a turn, which a successor continues.
  package struct Marks: Equatable {
    /// The number of entries of the log that were removed from the adapter's socket.
    package var taken: UInt64 = 0
    /// The octets that were about to be written to the adapter, and that it has, since the image.
    package var giving: UInt64 = 0
    package var given: UInt64 = 0
  }

  /// The contents that were found.
  package struct Past {
    package var image: [UInt8]
    package var entries: [[UInt8]]
    package var marks: Marks
  }

  private static let magic: UInt64 = 0x3165_6B68_746F_6F74
  private static let header = 4096
  private static let halfHeader = 64
  package static let size = 16 << 20

  private let bytes: UnsafeMutableRawBufferPointer
  private let fingerprint: UInt64
  /// Keeps the memory mapped.
  private let owner: AnyObject?
  private let halfSize: Int
  /// The valid half, 1 or 2; 0 without an image.
  private var active: Int
  private var length = 0
  private var imageLength = 0

  /// - Parameter fingerprint: Identifies the program, because another one would interpret the bytes
  ///   differently.
  package init(_ bytes: UnsafeMutableRawBufferPointer, fingerprint: UInt64, owner: AnyObject? = nil) {
    self.bytes = bytes
    self.fingerprint = fingerprint
    self.owner = owner
    halfSize = max(0, (bytes.count - Self.header) / 2) & ~7
    active = 0
  }

  package convenience init(_ memory: SharedMemory, fingerprint: UInt64) {
    self.init(memory.bytes, fingerprint: fingerprint, owner: memory)
  }

  package static func fingerprint(of text: String) -> UInt64 { FNV1a.hash(text.utf8) }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 { FNV1a.hash(bytes) }

  // MARK: Access by words

  private func place(_ offset: Int) -> UnsafeMutableRawPointer? {
    guard offset >= 0, offset + 8 <= bytes.count else { return nil }
    return bytes.baseAddress.map { $0 + offset }
  }

  private func word(_ offset: Int) -> UInt64 { place(offset).map { SharedMemory.load($0) } ?? 0 }

  private func set(_ offset: Int, _ value: UInt64) { if let place = place(offset) { SharedMemory.store(value, at: place) } }

  private func start(of half: Int) -> Int { Self.header + (half - 1) * halfSize }

  private func copy(_ list: [UInt8], to offset: Int) {
    guard let base = bytes.baseAddress, offset >= 0, offset + list.count <= bytes.count else { return }
    list.withUnsafeBytes { if let from = $0.baseAddress { (base + offset).copyMemory(from: from, byteCount: list.count) } }
  }

  // MARK: Writing

  /// Whether a successor would find a state.
  package var isInUse: Bool { active != 0 }

  /// Whether three quarters of the space for this half's log are used, so that a new image is due.
  package var isCrowded: Bool { active != 0 && length > (halfSize - Self.halfHeader - imageLength) / 4 * 3 }

  /// Starts again with a new image. Returns false if it is too large; then there is no state for a
  /// successor.
  @discardableResult package func save(_ image: [UInt8]) -> Bool {
    guard halfSize > Self.halfHeader, image.count < (halfSize - Self.halfHeader) / 2 else {
      giveUp()
      return false
    }
    let half = active == 1 ? 2 : 1
    let start = start(of: half)
    for field in 0..<6 { set(start + field * 8, 0) }
    copy(image, to: start + Self.halfHeader)
    set(start + 8, Self.checksum(image[...]))
    set(start, UInt64(image.count))
    set(8, fingerprint)
    set(0, Self.magic)
    set(16, UInt64(half))
    active = half
    length = 0
    imageLength = image.count
    marks = Marks()
    return true
  }

  /// Makes a takeover impossible from now on.
  package func giveUp() {
    set(16, 0)
    active = 0
  }

  /// Adds an entry. Returns false if there is no room.
  package func append(_ entry: [UInt8]) -> Bool {
    guard active != 0 else { return false }
    let start = start(of: active)
    let used = Self.halfHeader + imageLength + length
    guard used + 4 + entry.count <= halfSize else { return false }
    let size = UInt32(clamping: entry.count)
    copy((0..<4).map { UInt8(truncatingIfNeeded: size >> UInt32(8 * $0)) }, to: start + used)
    copy(entry, to: start + used + 4)
    length += 4 + entry.count
    set(start + 16, UInt64(length))
    return true
  }

  package private(set) var marks = Marks()

  package func noteTaken() {
    marks.taken += 1
    if active != 0 { set(start(of: active) + 24, marks.taken) }
  }

  package func noteGiving(upTo octets: UInt64) {
    marks.giving = octets
    if active != 0 { set(start(of: active) + 32, octets) }
  }

  package func noteGiven(upTo octets: UInt64) {
    marks.given = octets
    if active != 0 { set(start(of: active) + 40, octets) }
  }

  // MARK: Reading

  /// Returns the state of the earlier process and becomes its owner. `nil` if there is none, it is
  /// of another program, or it is incomplete.
  package func takeOver() -> Past? {
    guard word(0) == Self.magic, word(8) == fingerprint, let half = Int(exactly: word(16)), half == 1 || half == 2 else {
      return nil
    }
    let start = start(of: half)
    let room = UInt64(halfSize - Self.halfHeader)
    let (count, logged) = (word(start), word(start + 16))
    guard count <= room, logged <= room - count else { return nil }
    let body = start + Self.halfHeader
    let image = Array(bytes[body..<body + Int(count)])
    guard Self.checksum(image[...]) == word(start + 8) else { return nil }
    var entries: [[UInt8]] = []
    var place = body + Int(count)
    let end = place + Int(logged)
    while place < end {
      guard place + 4 <= end else { return nil }
      let size = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
      guard size <= end - place - 4 else { return nil }
      entries.append(Array(bytes[place + 4..<place + 4 + size]))
      place += 4 + size
    }
    active = half
    imageLength = Int(count)
    length = Int(logged)
    marks = Marks(taken: word(start + 24), giving: word(start + 32), given: word(start + 40))
    return Past(image: image, entries: entries, marks: marks)
  }
}
