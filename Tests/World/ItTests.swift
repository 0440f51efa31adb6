import Testing

/// The value of `it` after a handled failure.
@Suite struct ItTests {
  private static let device = """
    peripheral toy named "Toy"
      advertise environmental_sensing every 100ms
      service environmental_sensing
        characteristic temperature can read starts as 21.5
        characteristic humidity can read starts as 40
      end
    end

    """

  /// Before each piece `it` is 21.5, and afterwards, too.
  static let pieces: [(recipe: String, prints: String)] = [
    ("fail \"x\" otherwise print it.message", "x"),
    ("fail \"x\" otherwise debug 1", ""),
    ("try\n  fail \"a\"\notherwise\n  print it.message\nend", "a"),
    ("try\n  fail \"a\"\notherwise\n  fail \"b\" otherwise print it.message\n  print it.message\nend", "b a"),
    (
      "try\n  fail \"a\"\notherwise\n  try\n    fail \"b\"\n  otherwise\n    print it.message\n  end\n  print it.message\nend",
      "b a"
    ),
    ("try\n  try\n    fail \"a\"\n  otherwise if timeout\n    print 1\n  end\notherwise\n  print it.message\nend", "a"),
    ("try\n  try\n    fail \"a\"\n  otherwise\n    fail \"b\"\n  end\notherwise\n  print it.message\nend", "b"),
    ("repeat 2 times\n  try\n    fail \"a\"\n  otherwise\n    leave\n  end\nend", ""),
    ("repeat 2 times\n  try\n    fail \"a\"\n  otherwise\n    skip\n  end\nend", ""),
    ("repeat 1 times\n  fail \"a\" otherwise skip\nend", ""),
    ("try 3 times: fail \"a\" otherwise print it.attempts", "3"),
    ("try within 1s\n  try\n    fail \"a\"\n  otherwise\n    wait 5s\n  end\notherwise\n  print it.kind\nend", "timeout"),
    ("try within 1s\n  fail \"a\"\notherwise\n  wait 5s\n  print it.message\nend", "a"),
    ("try\n  fail \"a\"\notherwise if timeout\n  print 1\notherwise as p\n  print it.message, p.message\nend", "a a"),
    ("failing() otherwise print it.message", "deep"),
    ("rescuing()", "deep"),
    ("try\n  fail \"a\"\notherwise\n  read humidity\n  print it\nend", "40.0"),
    ("read humidity as percent\nprint percent", "40.0"),
    ("read (count(\"ab\")) otherwise print it.kind", "value"),
  ]

  static let procedures = """
    procedure failing()
      fail "deep"
    end
    procedure rescuing()
      try
        failing()
      otherwise
        print it.message
        return
      end
    end

    """

  /// A statement checks `it`, so a wrong value is a failure of its own.
  private static func recipe(_ piece: String) -> String {
    procedures + "scan for environmental_sensing\nconnect\nread temperature\n\(piece)\nexpect it is 21.5\n"
  }

  @Test(arguments: pieces.indices) func aHandledFailureRestoresIt(_ index: Int) throws {
    let piece = Self.pieces[index]
    let fixture = try Fixture(recipe: Self.recipe(piece.recipe), devices: Self.device)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.output.split(separator: "\n").joined(separator: " ") == piece.prints)
    #expect(fixture.world.session?.exitStatus.code == 0, "\(fixture.errors)")
  }

  @Test(arguments: pieces.indices) func inAHandlerItIsTheEventAgain(_ index: Int) throws {
    let piece = Self.pieces[index].recipe
    let indented = piece.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    let recipe =
      Self.procedures + """
        every 2s
          let before = it.due
        \(indented)
          expect it.due is before
          print "ticked"
          stop
        end
        scan for environmental_sensing
        connect
        wait forever

        """
    let fixture = try Fixture(recipe: recipe, devices: Self.device)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(2)) == .ended)
    #expect(fixture.errors.contains("error") == false, "\(fixture.errors)")
  }

  @Test func aKillInsideAnOtherwiseKeepsIt() throws {
    let recipe = Self.recipe(
      """
      try
        fail "outer"
      otherwise
        try
          fail "inner"
        otherwise
          wait 4s
          print it.message
        end
        wait 4s
        print it.message
      end
      """)
    for second in [2, 6] {
      let fixture = try Fixture(recipe: recipe, devices: Self.device)
      try fixture.start()
      _ = fixture.world.run(for: .seconds(Int64(second)))
      fixture.world.drop()
      try fixture.start()
      #expect(fixture.world.run(for: .minutes(1)) == .ended)
      #expect(fixture.output == "inner\nouter\n")
      #expect(fixture.world.session?.exitStatus.code == 0, "\(fixture.errors)")
    }
  }

  @Test func itOfAWhereEndsWithTheWhere() throws {
    let recipe = """
      let n = 0
      scan for environmental_sensing where it.rssi < 0
      connect
      read temperature
      wait for disconnect where it is "never" within 1s otherwise print it.kind
      expect it is 21.5

      """
    let fixture = try Fixture(recipe: recipe, devices: Self.device)
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(1)) == .ended)
    #expect(fixture.output == "timeout\n")
    #expect(fixture.world.session?.exitStatus.code == 0, "\(fixture.errors)")
  }
}
