import Glibc
import Linux
import Testing

/// `save` and `append` on things that are not regular files, as a user sees it.
@Suite struct WrittenFilesTests {
  let folder = Folder()
  private var device: String { "sim:\(Tooth.package)/recipes/devices/valve.ble" }

  private func run(_ text: String, _ options: String...) -> Tooth.Result {
    folder.file("r.ble", text)
    return Tooth.start(["run", "r.ble", "--adapter", device, "--state", "state"] + options, directory: folder.path).wait()
  }

  @Test(arguments: ["save", "append"]) func aSocketOrFolderFailsFileAndStays(word: String) throws {
    let listener = try LocalListener(at: "\(folder.path)/s", mode: 0o600)
    mkdir("\(folder.path)/d", 0o755)
    for name in ["s", "d"] {
      let result = run("\(word) \"x\" to \"\(name)\"\n")
      #expect(result.code == 1, "\(result)")
      #expect(result.errors.contains(name == "s" ? "it is a socket" : "Is a directory"), "\(result.errors)")
    }
    withExtendedLifetime(listener) {}
  }

  @Test func aPipeOrDeviceIsNotReplaced() {
    mkfifo("\(folder.path)/p", 0o600)
    #expect(run("save \"x\" to \"p\"\n").errors.contains("it is a named pipe, and only a file can be replaced"))
    #expect(run("append \"x\" to \"p\"\n").errors.contains("no process reads this pipe"))
    #expect(run("save \"x\" to \"/dev/full\"\n").errors.contains("it is a device, and only a file can be replaced"))
    var status = stat()
    #expect(lstat("\(folder.path)/p", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(lstat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  /// A link beside which the recipe may write does not lead out either.
  @Test(arguments: ["save", "append"]) func writeFilesHoldsAgainstLinks(word: String) {
    mkdir("\(folder.path)/out", 0o755)
    mkdir("\(folder.path)/elsewhere", 0o755)
    symlink("\(folder.path)/elsewhere/x", "\(folder.path)/out/l")
    symlink("../elsewhere", "\(folder.path)/out/f")
    for name in ["out/l", "out/f/x", "elsewhere/x", "out/../elsewhere/x"] {
      let result = run("\(word) \"x\" to \"\(name)\"\n", "--allow", "none,write-files=out")
      #expect(result.code == 1, "\(name) \(result)")
      #expect(Files.names(in: "\(folder.path)/elsewhere").isEmpty, "\(name)")
    }
    #expect(run("\(word) \"x\" to \"out/x\"\n", "--allow", "none,write-files=out").code == 0)
    #expect(folder.content("out/x") == "x\n")
  }
}
