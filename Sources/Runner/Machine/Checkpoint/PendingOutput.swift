import Exchange
import Vocabulary

/// A line that is committed before it is written.
struct PendingOutput: Equatable, Sendable {
  var effect: EffectID
  /// The level on stderr; `nil` for stdout.
  var level: LogLevel?
  var values: [Value]
  var ending: String
  var device: String?
  var line: RecipeLine
  /// What it is if a prompt displays it.
  var prompt: PromptOutput?
}

extension PendingOutput: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    effect = try EffectID(reading: &reader)
    let raw = try reader.readUInt8()
    guard raw <= 7 else { throw .invalid("log level", UInt64(raw)) }
    level = raw == 0 || raw > 4 ? nil : LogLevel(rawValue: raw - 1)
    values = try reader.next([Value].self)
    ending = try reader.readText()
    device = try reader.readBool() ? try reader.readText() : nil
    line = try RecipeLine(reading: &reader)
    switch raw {
    case 5: prompt = .echo(Echo(name: try reader.readText()))
    case 7: prompt = .echo(try Echo(reading: &reader))
    case 6: prompt = .ended(try EntryEnd(reading: &reader))
    default: break
    }
  }

  func write(to writer: inout ByteWriter) {
    effect.write(to: &writer)
    switch prompt {
    case .echo?: writer.put(UInt8(7))
    case .ended?: writer.put(UInt8(6))
    case nil: writer.put(level.map { $0.rawValue + 1 } ?? 0)
    }
    writer.put(all: values)
    writer.put(text: ending)
    writer.put(device != nil)
    if let device { writer.put(text: device) }
    line.write(to: &writer)
    switch prompt {
    case .echo(let echo)?: echo.write(to: &writer)
    case .ended(let end)?: end.write(to: &writer)
    case nil: break
    }
  }
}
