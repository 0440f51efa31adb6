import Glibc
import Journal
import Testing

@Suite struct StateDirectoryTests {
  let scratch = Scratch()

  @Test(
    arguments: [
      ("/a", ["STATE_DIRECTORY": "/b", "HOME": "/h"], "/a"),
      (nil, ["STATE_DIRECTORY": "/b:/c", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/b"),
      (nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/tooth"),
      (nil, ["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/tooth"),
      (nil, ["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/tooth"),
    ] as [(String?, [String: String], String)])
  func thePlaceFollowsFromOptionAndEnvironment(option: String?, variables: [String: String], path: String) throws {
    #expect(try StateDirectory.choose(option: option) { variables[$0] }.path == path)
  }

  @Test func withoutHomeTheOptionIsNamed() {
    let refusal = failure { _ = try StateDirectory.choose(option: nil) { _ in nil } }
    #expect(refusal?.kind == .unwritable)
    #expect(refusal?.hint?.contains("--state") == true)
  }

  @Test func theStateDirectoryIsForItsOwnerOnly() throws {
    let state = StateDirectory(path: "\(scratch.path)/a/b")
    try state.make()
    var status = stat()
    #expect(stat(state.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    try state.make()
  }

  @Test func aFileInItsPlaceIsRefused() {
    close(open("\(scratch.path)/file", O_CREAT | O_WRONLY, 0o600))
    for path in ["\(scratch.path)/file", "\(scratch.path)/file/deeper"] {
      #expect(failure { try StateDirectory(path: path).make() }?.message.contains("is not a directory") == true)
    }
  }

  @Test(.enabled(if: getuid() != 0)) func aDirectoryWithoutWritePermissionIsRefused() {
    chmod(scratch.path, 0o500)
    #expect(failure { try scratch.state.make() }?.message.contains("permission denied") == true)
    #expect(failure { try StateDirectory(path: "\(scratch.path)/a").make() }?.message.contains("permission denied") == true)
    chmod(scratch.path, 0o700)
  }
}

@Suite struct RunIDTests {
  @Test func theNameIsReadableAndAlwaysTheSame() {
    #expect(RunID(heart).text.hasPrefix("heart-"))
    #expect(RunID(heart).text.utf8.count == 14)
    #expect(RunID(heart) == RunID(RunIdentity(owner: .path("/recipes/heart.ble"), inputs: [])))
  }

  @Test func otherInputsAreAnotherRunInAnyOrder() {
    let one = RunIdentity(owner: .path("/r.ble"), inputs: [("a", "1"), ("b", "2")])
    let same = RunIdentity(owner: .path("/r.ble"), inputs: [("b", "2"), ("a", "1")])
    let other = RunIdentity(owner: .path("/r.ble"), inputs: [("a", "1"), ("b", "3")])
    #expect(RunID(one) == RunID(same))
    #expect(RunID(one) != RunID(other))
  }

  @Test func inputsDoNotChangeTheNameOfARun() {
    let one = RunIdentity(owner: .name("garden"), inputs: [("a", "1")])
    #expect(RunID(one) == RunID(RunIdentity(owner: .name("garden"), inputs: [])))
    #expect(RunID(one).text.hasPrefix("garden-"))
  }

  @Test(arguments: ["../../etc/passwd", "a b\nc", "....", "", "ä"])
  func noNameLeadsOutOfTheDirectory(name: String) {
    let id = RunID(RunIdentity(owner: .name(name), inputs: []))
    #expect(RunID(id.text) == id)
    #expect(!id.text.contains("/"))
    #expect(!id.text.hasPrefix("."))
  }

  @Test(arguments: ["", "../x", "a/b", ".hidden", "shared", "a b"])
  func anInvalidTypedNameIsRefused(text: String) { #expect(RunID(text) == nil) }
}
