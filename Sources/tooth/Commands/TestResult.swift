import Vocabulary
import World

/// A verdict for output, which a worker sends to its parent.
struct TestResult: Equatable {
  var file: String
  var name: String
  var line: Int
  var runs: Int
  var span: TimeSpan
  var milliseconds: Int
  var passed: Bool
  var seed: UInt64
  var message = ""
  var circumstance = ""
  /// Arguments that reproduce it, after `tooth test FILE`.
  var repeating = ""
  /// The full report of a failure.
  var text = ""

  init(_ verdict: TestVerdict, text: String) {
    file = verdict.file
    name = verdict.name
    line = verdict.line
    runs = verdict.runs
    span = verdict.span
    milliseconds = Int(verdict.seconds * 1000)
    passed = verdict.passed
    seed = verdict.seed
    message = verdict.failure?.failure?.message ?? ""
    circumstance = verdict.circumstance ?? ""
    repeating = verdict.repeating.list(by: " ")
    self.text = text
  }
}

extension TestResult: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    file = try reader.readText()
    name = try reader.readText()
    line = Int(try reader.readUInt32())
    runs = Int(try reader.readUInt32())
    span = try TimeSpan(reading: &reader)
    milliseconds = Int(try reader.readUInt32())
    passed = try reader.readBool()
    seed = try reader.readUInt64()
    message = try reader.readText()
    circumstance = try reader.readText()
    repeating = try reader.readText()
    text = try reader.readText()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(text: file)
    writer.put(text: name)
    writer.put(UInt32(clamping: line))
    writer.put(UInt32(clamping: runs))
    span.write(to: &writer)
    writer.put(UInt32(clamping: milliseconds))
    writer.put(passed)
    writer.put(seed)
    writer.put(text: message)
    writer.put(text: circumstance)
    writer.put(text: repeating)
    writer.put(text: text)
  }
}
