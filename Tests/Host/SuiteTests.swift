import Foundation
import Testing

/// The names of the transcripts are those of the Bluetooth SIG's GATT suite, and any case that is
/// left out is listed.
@Suite struct SuiteTests {
  /// The cases that BlueZ's `unit/test-gatt.c` names.
  static let cases = names([
    ("GAC/CL/BV", [1]), ("GAC/SR/BV", [1]), ("GAD/CL/BV", Array(1...6)), ("GAD/SR/BV", Array(1...6)),
    ("GAR/CL/BV", [1] + Array(3...7)), ("GAR/CL/BI", Array(1...7) + Array(9...35)), ("GAR/SR/BV", [1] + Array(3...8)),
    ("GAR/SR/BI", [2, 6, 7, 8, 12, 13, 14, 18, 19, 23, 24, 28, 29, 30]), ("GAN/CL/BV", [1]), ("GAN/SR/BV", [1]), ("GAI/CL/BV", [1]),
    ("GAI/SR/BV", [1]), ("GAW/CL/BV", [1, 2, 3, 5, 6, 8, 9]),
    ("GAW/CL/BI", Array(2...8) + Array(11...15) + Array(17...26) + [29, 30, 31]),
    ("GAW/SR/BV", [3] + Array(5...10)), ("GAW/SR/BI", [2, 3, 7, 8, 14, 15, 20, 21, 25, 26]),
  ])
  /// Our cases that the suite does not have.
  static let further = names([
    ("GAR/CL/BI", [8]), ("GAR/SR/BI", [1, 4]), ("GAW/CL/BI", [9, 10, 33, 34]), ("GAW/SR/BI", [5, 9]), ("GAN/CL/BV", [2]),
    ("GAT/CL/BV", [1]),
  ])

  private static func names(_ groups: [(group: String, numbers: [Int])]) -> Set<String> {
    Set(groups.flatMap { group, numbers in numbers.map { "\(group)-\($0 < 10 ? "0" : "")\($0)-C" } })
  }

  @Test func everyCaseHasATranscriptOrAReason() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "Transcripts/README.md"), encoding: .utf8)
    var excused: Set<String> = []
    for line in page.split(separator: "\n") where line.hasPrefix("| `G") {
      let names = (line.split(separator: "|").first ?? "").split(separator: "`").filter { $0.hasPrefix("G") }.map(String.init)
      let isRange = line.contains("` to `")
      if isRange, let first = names.dropLast().last, let last = names.last {
        excused.formUnion(Self.cases.filter { $0 >= first && $0 <= last })
      }
      excused.formUnion(names)
    }
    let present = Set(Transcript.all().compactMap { $0.name.split(separator: " ").first.map(String.init) })
    #expect(present.subtracting(Self.cases).subtracting(Self.further).sorted() == [])
    #expect(Self.cases.subtracting(present).subtracting(excused).sorted() == [])
    #expect(excused.intersection(present).sorted() == [])
    #expect(excused.subtracting(Self.cases).sorted() == [])
  }
}
