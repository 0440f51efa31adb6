package import Vocabulary

/// The state of an entry.
package enum EntryState: UInt8, Sendable {
  case done, failed, cancelled, running, undone

  package var word: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .running: "running"
    case .undone: "undone"
    }
  }
}

/// An entry that was typed at a prompt and run.
package struct Entry: Equatable, Sendable {
  package var text: String
  /// Counts from 1. Refused lines and commands of the prompt also have numbers, but no entry.
  package var number: Int
  package var state = EntryState.running
  /// The exit code of its failure; 0 if there is none.
  package var code: Int32 = 0
  package var unit: Int
  /// Units of its active handlers.
  var handlers: [Int]
}

extension Entry: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    text = try reader.readText()
    let raw = try reader.readUInt8()
    guard let state = EntryState(rawValue: raw) else { throw .invalid("state of an entry", UInt64(raw)) }
    self.state = state
    code = Int32(truncatingIfNeeded: try reader.readZigzag())
    unit = Int(try reader.readUInt16())
    handlers = try reader.next([SmallNumber].self).map { Int($0.value) }
    number = Int(try reader.readUInt32())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(text: text)
    writer.put(state.rawValue)
    writer.put(zigzag: Int64(code))
    writer.put(UInt16(truncatingIfNeeded: unit))
    writer.put(all: handlers.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
    writer.put(UInt32(truncatingIfNeeded: number))
  }
}

/// The result of an entry, for display.
package struct EntryEnd: Equatable, Sendable {
  /// Counts from 1.
  package var number: Int
  package var state: EntryState
  /// The last displayed value.
  package var value: Value?
  package var failureKind = ""
  package var failureText = ""
}

extension EntryEnd: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    number = Int(try reader.readUInt32())
    let raw = try reader.readUInt8()
    guard let state = EntryState(rawValue: raw) else { throw .invalid("state of an entry", UInt64(raw)) }
    self.state = state
    value = try reader.next(Value?.self)
    failureKind = try reader.readText()
    failureText = try reader.readText()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: number))
    writer.put(state.rawValue)
    writer.put(all: value)
    writer.put(text: failureKind)
    writer.put(text: failureText)
  }
}

/// A line on stdout that a prompt displays and no statement prints.
package enum PromptOutput: Equatable, Sendable {
  case echo(Echo)
  case ended(EntryEnd)
}

/// What a prompt displays beside the result of an entry.
package struct Echo: Equatable, Sendable {
  /// The name of the result; empty for a plain value.
  package var name: String
  /// The octets that were decoded to the result; empty if it was not received.
  package var octets: [UInt8] = []
  /// The unit of a received number; empty if it has none.
  package var unit = ""
}

extension Echo: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    name = try reader.readText()
    octets = try reader.readBlob()
    unit = try reader.readText()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(text: name)
    writer.put(blob: octets)
    writer.put(text: unit)
  }
}

/// The entries of a run in order. Writing to one marks its row.
package struct EntryTable: Sendable {
  package private(set) var list: [Entry] = []
  private var changed: [Int] = []

  init() {}

  init(stored: [Entry]) { list = stored }

  mutating func append(_ entry: Entry) {
    changed.append(list.count)
    list.append(entry)
  }

  mutating func update(_ index: Int, _ work: (inout Entry) -> Void) {
    guard list.indices.contains(index) else { return }
    if !changed.contains(index) { changed.append(index) }
    work(&list[index])
  }

  mutating func rewrite() { changed = Array(list.indices) }

  mutating func store(in commit: inout Commit) {
    for index in changed { commit.rows.append(Commit.Row(RowKey(.entry, UInt64(index + 1)), list[index].encoded)) }
    changed.removeAll(keepingCapacity: true)
  }
}
