import Glibc
import Linux
import Testing

/// What can be read of runs in a folder that cannot be written: one of another user, a backup, a
/// read-only file system.
@Suite(.enabled(if: getuid() == 0, "only root can be somebody else")) struct ReadOnlyStateTests {
  private let folder = Folder()

  private func asAnother(_ words: String...) -> Tooth.Result { asAnother(words) }

  private func asAnother(_ words: [String]) -> Tooth.Result {
    let program = folder.executable("tooth", copying: Tooth.path)
    chmod(folder.path, 0o755)
    return Tooth.start(
      ["--reuid=65534", "--regid=65534", "--clear-groups", program] + words, program: "/usr/bin/setpriv",
      environment: ["TOOTH_STATE": "\(folder.path)/st ate?"]
    ).wait()
  }

  private func open(_ path: String, to mode: mode_t) {
    chmod(path, mode)
    for name in Files.names(in: path) where !name.hasPrefix(".") {
      var status = stat()
      let inner = "\(path)/\(name)"
      if lstat(inner, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        open(inner, to: mode)
      } else {
        chmod(inner, mode & 0o644)
      }
    }
  }

  @Test func runsOfAnotherUserAreListedAndShown() {
    folder.file("beats.ble", "remember n = 0\nset n to n + 1\nprint n\n")
    let state = "\(folder.path)/st ate?"
    let done = Tooth.start(["run", "beats.ble", "--state", state], directory: folder.path).wait()
    #expect(done.code == 0, "\(done)")
    let closed = asAnother("runs")
    #expect(closed.code == 11 && closed.errors.contains("runs cannot be read in \(state): permission denied"), "\(closed)")
    open(state, to: 0o755)
    let list = asAnother("runs")
    #expect(list.code == 0 && list.output.contains("beats.ble") && list.output.contains("finished (0)"), "\(list)")
    let shown = asAnother("runs", "show")
    #expect(shown.code == 0 && shown.output.contains("beats.ble") && shown.output.contains("tooth run"), "\(shown)")
    let dropped = asAnother("runs", "drop", "beats.ble")
    #expect(dropped.code == 11 && dropped.errors.contains("runs cannot be removed in \(state): permission denied"), "\(dropped)")
    let resumed = asAnother("resume", "\(folder.path)/beats.ble")
    #expect(resumed.code == 11 && resumed.errors.contains("runs cannot be continued in \(state)"), "\(resumed)")
    for refused in [closed, dropped, resumed] {
      #expect(refused.errors.contains("run this as root, who owns this folder"), "\(refused)")
      #expect(!refused.errors.contains("--state DIR"), "\(refused)")
    }
    let started = asAnother("run", "-e", "print 1", "--as", "new")
    #expect(started.code == 11 && started.errors.contains("checkpoints cannot be saved in \(state)"), "\(started)")
    #expect(started.errors.contains("who owns this folder, or choose another place with --state DIR"), "\(started)")
    // Nothing was written.
    #expect(!Files.names(in: state).contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
  }

  /// The owner of a folder that is closed to writing gets other advice.
  @Test func theOwnerIsToldToOpenTheFolder() {
    let state = "\(folder.path)/st ate?"
    mkdir(state, 0o755)
    chown(state, 65534, 65534)
    chmod(state, 0o555)
    for words in [["run", "-e", "print 1", "--as", "new"], ["runs", "drop", "new"]] {
      let refused = asAnother(words)
      #expect(refused.code == 11 && refused.errors.contains("give yourself access to it (chmod u+rwx)"), "\(words): \(refused)")
    }
    chmod(state, 0o755)
  }

  /// A file where a folder should be is named, with what to do.
  @Test(arguments: ["", "bonds", "bonds/00-1B-DC-07-33-88.p"]) func aFileInsteadOfAFolderIsNamed(place: String) throws {
    let state = "\(folder.path)/state"
    let file = place.isEmpty ? state : "\(state)/\(place)"
    try Files.makeFolders(parent(of: file))
    try saveFile(file, [0], mode: 0o600)
    for words in [["bonds"], ["forget", "--all", "--direct", "--adapter", "sim:demo"], ["bonds", "export", "\(folder.path)/c"]] {
      let done = Tooth.start(words + ["--state", state], directory: folder.path).wait()
      #expect(done.code == (words.contains("export") ? 2 : 1), "\(words): \(done)")
      #expect(done.errors.contains("\(file) is not a folder"), "\(words): \(done)")
      #expect(done.errors.contains("move that file away") && !done.errors.contains("chown"), "\(words): \(done)")
    }
  }

  /// An unreadable folder is not an empty one.
  @Test(arguments: ["", "bonds", "bonds/00-1B-DC-07-33-88.p"], [0o700, 0o744] as [mode_t]) func bondsThatCannotBeReadAreReported(
    closed: String, mode: mode_t
  ) {
    let state = "\(folder.path)/st ate?"
    let adapter = "\(state)/bonds/00-1B-DC-07-33-88.p"
    try? Files.makePrivateFolder(adapter)
    try? saveFile("\(adapter)/C4-7C-8D-6A-12-0F.r", [0], mode: 0o600)
    open(state, to: 0o755)
    chmod(closed.isEmpty ? state : "\(state)/\(closed)", mode)
    let commands = [
      ["bonds"], ["bonds", "--output", "json"], ["bonds", "C4:7C:8D:6A:12:0F/random"],
      ["bonds", "export", "\(folder.path)/copy"], ["forget", "--all", "--direct"], ["doctor"],
    ]
    for words in commands {
      let done = asAnother(words)
      #expect((done.output + done.errors).contains("ermission denied"), "\(words): \(done)")
      #expect(!done.errors.contains("no device is paired") && !done.errors.contains("contains no bonds"), "\(words): \(done)")
      if words[0] != "doctor" { #expect(done.code == (words.contains("export") ? 2 : 1), "\(words): \(done)") }
    }
  }
}
