package import Exchange
import Recipe

/// Where lines begin, to tell the line of a byte.
package struct LineTable: Equatable, Sendable {
  package var starts: [UInt32]

  package init(_ text: some Sequence<UInt8>) {
    starts = [0]
    for (offset, byte) in text.enumerated() where byte == 0x0A { starts.append(UInt32(truncatingIfNeeded: offset + 1)) }
  }

  /// From 1.
  package func line(of range: SourceRange) -> Int {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= range.start { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
