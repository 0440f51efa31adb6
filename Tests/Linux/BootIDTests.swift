import Glibc
import Testing

@testable import Linux

/// The ID of a boot of the machine, from whatever a service can read.
@Suite struct BootIDTests {
  let scratch = LinuxScratch()

  private func proc(id: String?, stat: String?) -> String {
    let path = "\(scratch.path)/\(id ?? "none").\(stat?.utf8.count ?? 0)"
    for folder in ["", "/sys", "/sys/kernel", "/sys/kernel/random"] { mkdir(path + folder, 0o755) }
    if let id { write(id, "\(path)/sys/kernel/random/boot_id") }
    if let stat { write(stat, "\(path)/stat") }
    return path
  }

  private func write(_ text: String, _ path: String) {
    guard let file = fopen(path, "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  @Test func theBootIDChangesWithEachBoot() {
    let stat = "cpu  1 2 3\nctxt 7\nbtime 1700000000\nprocesses 9\n"
    let id = "0b4c9dd6-1f3c-4a9d-8d6e-0123456789ab"
    let plain = "0b4c9dd61f3c4a9d8d6e0123456789ab"
    let whole = proc(id: id, stat: stat)
    #expect(SystemClock.bootID(proc: whole) { _ in nil } == plain)
    // As given by a unit in which nothing else is readable.
    #expect(SystemClock.bootID(proc: "/nonexistent") { $0 == "TOOTH_BOOT_ID" ? plain : nil } == plain)
    // The kernel's own ID takes precedence.
    #expect(SystemClock.bootID(proc: whole) { _ in "other" } == plain)
    #expect(SystemClock.bootID(proc: proc(id: nil, stat: stat)) { _ in nil } == "btime1700000000")
    #expect(SystemClock.bootID(proc: proc(id: "", stat: "cpu 1\nbtime 1800000000")) { _ in "" } == "btime1800000000")
    for broken in ["btime", "btime x\n", "", "xbtime 4\n"] {
      let path = proc(id: nil, stat: broken)
      let first = SystemClock.bootID(proc: path) { _ in nil }
      #expect(first.hasPrefix("unknown") && first != SystemClock.bootID(proc: path) { _ in nil })
    }
    removeAll()
  }

  private func removeAll() { system("rm -rf '\(scratch.path)'/*") }

  @Test func theBootIDIsKnownHere() {
    #expect(SystemClock.bootID() == SystemClock.bootID())
    #expect(!SystemClock.bootID().hasPrefix("unknown"))
  }
}
