import Glibc
import Judgement
import Testing

/// Our own controllers, checked by tshark: host and simulator have the same authors and could share
/// a misreading.
extension InteropTests {
  @Suite struct SimulatedTraceTests {
    /// The recipe, its air, its duration, its inputs, and its exit code.
    struct Case: Sendable, CustomTestStringConvertible {
      var recipe: String
      var devices: String
      var limit = "60s"
      var inputs: [String] = []
      var code: Int32

      var testDescription: String { recipe }
    }

    private static let cases = [
      Case(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble", code: 8),
      Case(recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble", code: 0),
      Case(recipe: "recipes/valve.ble", devices: "recipes/devices/valve.ble", limit: "30h", inputs: ["--at", "05:00"], code: 8),
      Case(
        recipe: "Tests/Interop/recipes/dump.ble", devices: "Tests/Interop/recipes/shelf.ble", inputs: ["--name", "Shelf 1"], code: 0
      ),
      Case(recipe: "Tests/Kill/recipes/count.ble", devices: "Tests/Kill/recipes/strap.ble", code: 8),
    ]

    @Test(arguments: cases) func aSimulatedRunWritesACorrectTrace(run: Case) throws {
      let folder = try Folder()
      let trace = Traces.new("simulated")
      let child = try Child(
        [
          Bumble.tooth, "run", "\(Bumble.root)/\(run.recipe)", "--adapter", "sim:\(Bumble.root)/\(run.devices)", "--clock",
          "virtual",
          "--time-limit", run.limit, "--state", "\(folder.path)/state", "--capture", trace,
        ] + run.inputs, in: folder.path)
      #expect(child.end() == run.code, "\(child.text)\(child.complaint)")
      #expect(try Traces.frames(trace) ?? 100 > 50)
    }

    @Test func aSimulatedScanWritesACorrectTrace() throws {
      let trace = Traces.new("simulated-scan")
      let child = try Child([
        Bumble.tooth, "scan", "--adapter", "sim:\(Bumble.root)/Tests/Interop/recipes/shelf.ble", "--clock", "virtual",
        "--time-limit", "5s", "--capture", trace,
      ])
      #expect(child.end() == 0, "\(child.complaint)")
      #expect(try Traces.frames(trace) ?? 100 > 50)
    }

    /// The check must be able to fail: it does for a truncated frame and for one with a wrong
    /// length.
    @Test(.enabled(if: Bumble.isTsharkThere)) func malformedTracesAreFound() throws {
      let folder = try Folder()
      // The header of a btsnoop file, and one record from the controller, in H4.
      let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]
      func trace(_ packet: [UInt8]) throws -> String {
        let path = "\(folder.path)/planted.btsnoop"
        let count = UInt8(packet.count)
        let bytes =
          header + [0, 0, 0, count, 0, 0, 0, count, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0] + packet
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path
      }
      let good = try Traces.look(trace([4, 0x0E, 4, 1, 3, 0x0C, 0]))
      #expect(good.remarks.isEmpty && good.packets == 1)
      for packet: [UInt8] in [
        [2, 1, 0x20, 6, 0, 2, 0, 4, 0, 0x1B, 1], [4, 0x3E, 12, 2, 1, 0, 0, 1, 2, 3, 4, 5, 6, 9, 2],
      ] { #expect(try Traces.look(trace(packet)).remarks.count == 1) }
      // No remarks must not mean no packets.
      let empty = "\(folder.path)/empty.btsnoop"
      let file = try #require(fopen(empty, "w"))
      fwrite(header, 1, header.count, file)
      fclose(file)
      let nothing = try Traces.look(empty)
      #expect(nothing.remarks.isEmpty && nothing.packets == 0)
    }
  }
}
