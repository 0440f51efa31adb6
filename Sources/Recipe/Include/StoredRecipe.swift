import Exchange
import Vocabulary

/// A recipe as stored in a checkpoint: its text and, after a zero byte, which no text contains, the
/// texts of its included files.
package struct StoredRecipe: Sendable {
  package private(set) var text: [UInt8]
  /// The file number of each answer, in the order of the requests, with the text at its first
  /// occurrence.
  private var answers: [(file: Int, text: [UInt8])] = []

  private static let version: UInt8 = 1

  static func encoded(_ text: [UInt8], answers: [Int], _ content: (Int) -> [UInt8]) -> [UInt8] {
    guard !answers.isEmpty else { return text }
    var writer = ByteWriter()
    writer.put(text)
    writer.put(0 as UInt8)
    writer.put(version)
    writer.put(varint: UInt64(answers.count))
    var known = 1
    for file in answers {
      writer.put(varint: UInt64(file))
      guard file == known else { continue }
      writer.put(blob: content(file))
      known += 1
    }
    return writer.bytes
  }

  /// Damaged data yields no included files, so that their `include` lines are refused.
  package init(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: 0) else {
      text = bytes
      return
    }
    text = Array(bytes[..<end])
    answers = (try? Self.answers(Array(bytes[(end + 1)...]))) ?? []
  }

  private static func answers(_ bytes: [UInt8]) throws(DecodeError) -> [(file: Int, text: [UInt8])] {
    var reader = bytes.span.bytes
    let version = try reader.readUInt8()
    guard version == Self.version else { throw .invalid("version of a stored recipe", UInt64(version)) }
    var answers: [(file: Int, text: [UInt8])] = []
    var known = 1
    for _ in 0..<(try reader.readCount()) {
      let file = Int(truncatingIfNeeded: try reader.readVarint())
      guard file >= 0, file <= known else { throw .invalid("number of an included file", UInt64(truncatingIfNeeded: file)) }
      answers.append((file, file == known ? try reader.readBlob() : []))
      if file == known { known += 1 }
    }
    guard reader.isAtEnd else { throw .trailing(reader.byteCount, after: "stored recipe") }
    return answers
  }

  /// The recipe as it was, without reading files.
  package func assembled(name: String) -> ParsedRecipe {
    var assembly = RecipeAssembly(name: name, text, identity: "0")
    if let slash = name.lastIndex(of: "/") { assembly.folder = String(name[..<slash]) }
    var next = 0
    while assembly.wanted != nil {
      guard next < answers.count else {
        assembly.take(.refused("it is missing from the checkpoint"))
        continue
      }
      assembly.take(.file(identity: "\(answers[next].file)", answers[next].text))
      next += 1
    }
    return assembly.finish()
  }
}
