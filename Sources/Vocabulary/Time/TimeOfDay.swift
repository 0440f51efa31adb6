/// A local time of day: `06:00`.
package struct TimeOfDay: Hashable, Comparable, Sendable {
  /// 0 to 86,399.
  package let secondOfDay: Int

  /// `nil` if there is no such time, including 24:00.
  package init?(hour: Int, minute: Int, second: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    secondOfDay = hour * 3600 + minute * 60 + second
  }

  /// `06:00` or `06:00:30`.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    var numbers: [Int] = []
    for part in parts {
      guard (1...2).contains(part.utf8.count), part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(part) else {
        return nil
      }
      numbers.append(number)
    }
    guard parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    self.init(hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
  }

  package var hour: Int { secondOfDay / 3600 }
  package var minute: Int { secondOfDay / 60 % 60 }
  package var second: Int { secondOfDay % 60 }

  package static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.secondOfDay < right.secondOfDay }
}

extension TimeOfDay: CustomStringConvertible {
  package var description: String {
    func two(_ number: Int) -> String { DecimalText.padded(String(number), width: 2) }
    return "\(two(hour)):\(two(minute))" + (second == 0 ? "" : ":\(two(second))")
  }
}

extension TimeOfDay: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try reader.readUInt24()
    guard raw < 86_400 else { throw .invalid("time of day", UInt64(raw)) }
    secondOfDay = Int(raw)
  }

  package func write(to writer: inout ByteWriter) { writer.put(uint24: UInt32(truncatingIfNeeded: secondOfDay)) }
}
