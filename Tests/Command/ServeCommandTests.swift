import Testing

/// `tooth serve`, as a user types it.
@Suite struct ServeCommandTests {
  private static let two = """
    let own = 0x1234
    peripheral lamp
      advertise own
      every 1s: log "on the air"
    end
    peripheral bell
      advertise battery_service
    end
    log "the body"
    on line as text: print text

    """

  private static func tooth(_ arguments: [String], _ text: String = two) -> Tooth.Result {
    let folder = Folder()
    folder.file("two.ble", text)
    return Tooth.start(arguments, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path).wait()
  }

  @Test(arguments: [
    (["serve"], "tooth serve needs a file"),
    (["serve", "none.ble"], "there is no file none.ble"),
    (["serve", "two.ble"], "two.ble has several peripherals: lamp, bell"),
    (["serve", "two.ble", "lmp"], "did you mean `lamp`?"),
    (["serve", "two.ble", "lamp", "bell"], "one peripheral at a time"),
  ])
  func aWrongNameIsExplained(arguments: [String], words: String) {
    let result = Self.tooth(arguments)
    #expect(result.code == 2 && result.errors.contains(words), "\(result)")
  }

  @Test func serveReportsAMissingAdapter() {
    let result = Self.tooth(["serve", "two.ble", "bell", "--adapter", "unix:none", "--direct"])
    #expect(result.code == 9 && result.errors.contains("unix:none"), "\(result)")
  }

  @Test func addedStatementsShowNoLineOfTheFile() {
    let result = Self.tooth(["serve", "two.ble", "bell", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "3s"])
    #expect(result.errors.contains("tooth serve: wait forever"), "\(result.errors)")
    #expect(!result.errors.contains("line "), "\(result.errors)")
  }

  /// The value of an input is not mistaken for the peripheral, wherever it appears.
  @Test(arguments: [
    ["two.ble", "lamp", "--n", "4"], ["two.ble", "--n", "4", "lamp"], ["--n", "4", "two.ble", "lamp"],
    ["two.ble", "lamp", "--n=4"],
  ]) func serveAcceptsValuesOfInputs(words: [String]) {
    let text = "input n: number = 1\n" + Self.two.replacing("\"on the air\"", with: "\"on the air {n}\"")
    let options = ["--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "1500ms"]
    let result = Self.tooth(["serve"] + words + options, text)
    #expect(result.code == 8 && result.errors.contains("on the air 4"), "\(result)")
    let unknown = Self.tooth(["serve", "two.ble", "lmp", "--n", "4"] + options, text)
    #expect(unknown.code == 2 && unknown.errors.contains("did you mean `lamp`?"), "\(unknown)")
  }

  /// The handlers run, and the body of the file is ignored.
  @Test func serveEndsAtItsTimeLimit() {
    let options = ["--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "3500ms", "--seed", "7"]
    let result = Self.tooth(["serve", "two.ble", "lamp"] + options)
    #expect(result.code == 8 && !result.errors.contains("the body"), "\(result)")
    #expect(result.errors.split(separator: "\n").count { $0.hasSuffix("on the air") } == 3, "\(result)")
    #expect(result.errors.split(separator: "\n").count { $0.hasSuffix("log serving lamp; Ctrl-C ends it") } == 1, "\(result)")
  }
}
