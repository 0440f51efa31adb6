import Glibc
import Testing

/// A file size limit works like a full disk: the run reports it and exits, and SIGXFSZ does not
/// kill it.
@Suite struct FileSizeLimitTests {
  @Test(arguments: [0, 16, 64, 256])
  func theFileSizeLimitActsLikeAFullDisk(kilobytes: Int) throws {
    var template = Array("/tmp/tooth-limit-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { _ = Tooth.start(["-c", "rm -rf \(folder)"], program: "/bin/sh").wait() }
    let recipe = """
      repeat 20000 times
        append "0123456789012345678901234567890123456789" to "out.txt"
      end
      """
    let script = """
      cd \(folder); cat > r.ble; ulimit -f \(kilobytes)
      exec \(Tooth.path) run r.ble --state \(folder)/state --adapter sim:\(Tooth.package)/recipes/devices/heart-rate-strap.ble
      """
    let result = Tooth.start(["-c", script], program: "/bin/bash", input: recipe + "\n").wait()
    #expect(result.code == 1 || result.code == 11, "\(result)")
    #expect(result.errors.contains("error"), "\(result)")
  }
}
