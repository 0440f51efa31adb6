package import Linux
import Vocabulary

/// What a keeper's successor finds: an image of everything, and a log of what happened behind it,
/// in memory that outlives the process.
///
/// There are two halves, each with an image and its log; the header says which one counts, and is
/// written last. An entry of the log counts when the length of the log says so. So whenever the
/// process is killed, what is found is whole.
package final class KeeperMemory {
  /// Of one turn of work; a successor continues them.
  package struct Marks: Equatable {
    /// How many chunks of the log were taken from the adapter's socket.
    package var taken: UInt64 = 0
    /// Octets that were about to be given to the adapter, and that it has, counted from the image
    /// on.
    package var giving: UInt64 = 0
    package var given: UInt64 = 0
  }

  /// What was found.
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
  /// 1 or 2; 0 while there is no image that counts.
  private var active: Int
  private var length = 0
  private var imageLength = 0

  /// - Parameter fingerprint: of the program: another one would read the bytes otherwise.
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

  // MARK: Words

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

  /// Whether somebody would find anything.
  package var isInUse: Bool { active != 0 }

  /// Half of the room for the log of this half is used: a new image is due.
  package var isCrowded: Bool { active != 0 && length > (halfSize - Self.halfHeader - imageLength) / 4 * 3 }

  /// Begins anew with an image of everything. False when it is too large: then nothing is there any
  /// more, and nobody takes over.
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

  /// Nobody takes over from here on.
  package func giveUp() {
    set(16, 0)
    active = 0
  }

  /// One more entry. False when there is no room for it.
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

  /// What the process before has left; nothing when there is none, or it is another program's, or
  /// not whole. From here on this is its owner.
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
