import Linux
import Testing

/// What a program reads back of the machine-readable outputs: names and values from the air cannot
/// change their shape.
@Suite struct ReadBackTests {
  private let folder = Folder()

  /// Names with everything that means something in CSV, JSON, XML and TAP.
  private static let world = #"""
    peripheral one named "A, \"b\"; 'c' =1+1"
      advertise battery_service every 100ms
      service battery_service
        characteristic battery_level can read starts as 61
        characteristic manufacturer_name_string can read starts as "x,\"y\"\nz"
      end
    end
    peripheral two named "<&>]]>\\ # \t"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic battery_level can read starts as 62
        characteristic manufacturer_name_string can read starts as "\u{1b}[2J\u{0}\r\n"
      end
    end

    """#

  /// Prints the rows of stdin, one a line, with `repr`. Fails if the input is not of its form.
  private static let reader = #"""
    import csv, io, json, re, sys, xml.etree.ElementTree as tree
    form, text = sys.argv[1], sys.stdin.buffer.read().decode('utf-8')
    if form == 'json':
        for line in text.splitlines(): print(sorted(json.loads(line).items()))
    elif form == 'csv':
        rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
        assert len({len(row) for row in rows}) == 1, rows
        for row in rows: print(row)
    elif form == 'junit':
        root = tree.fromstring(text)
        for suite in root.iter('testsuite'):
            cases = suite.findall('testcase')
            assert len(cases) == int(suite.get('tests')), suite.attrib
            assert sum(1 for case in cases if case.find('failure') is not None) == int(suite.get('failures')), suite.attrib
            for case in cases: print([case.get('name'), case.find('failure') is None])
    else:
        lines = [line for line in text.splitlines() if re.match(r'(not )?ok\b|1\.\.', line)]
        plan = [line for line in lines if line.startswith('1..')]
        results = [re.fullmatch(r'(not )?ok (\d+) - (.*)', line) for line in lines if not line.startswith('1..')]
        assert len(plan) == 1 and plan[0] == f'1..{len(results)}' and all(results), text
        assert [int(found[2]) for found in results] == list(range(1, len(results) + 1)), text
        for found in results: print([re.sub(r'\\(.)', r'\1', re.split(r'(?<!\\)#', found[3])[0]).strip(), not found[1]])

    """#

  private func rows(_ form: String, _ text: String) -> [String] {
    let read = Tooth.start(["-c", Self.reader, form], program: "/usr/bin/python3", input: text).wait()
    #expect(read.code == 0, "\(form): \(read.errors)\n\(text)")
    return read.output.split(separator: "\n").map(String.init)
  }

  private func tooth(_ words: String...) -> Tooth.Result {
    let world = [
      "--adapter", "sim:\(folder.file("world.ble", Self.world))", "--clock", "virtual", "--seed", "7", "--time-limit", "1min",
    ]
    return Tooth.start(words + world, environment: ["TOOTH_STATE": "\(folder.path)/state"]).wait()
  }

  @Test(arguments: ["json", "csv"]) func namesAndValuesComeBack(form: String) {
    let devices = rows(form, tooth("scan", "--output", form).output)
    #expect(devices.count == (form == "csv" ? 3 : 2), "\(devices)")
    for name in [#"A, "b"; \'c\' =1+1"#, #"<&>]]>\\ # \t"#] {
      #expect(devices.contains { $0.contains(name) }, "\(name) is not in \(devices)")
    }
    let read = rows(form, tooth("read", "A*", "battery_level", "manufacturer_name_string", "--output", form).output)
    #expect(read.contains { $0.contains("61") && $0.contains(#"x,"y"\nz"#) }, "\(read)")
    let other = rows(form, tooth("read", "<*", "battery_level", "manufacturer_name_string", "--output", form).output)
    #expect(other.contains { $0.contains("62") && $0.contains(#"\x1b[2J\x00\r\n"#) }, "\(other)")
    #expect(rows(form, tooth("info", "A*", "--output", form).output).count >= 3)
  }

  @Test func resultsOfTestsComeBack() {
    let names = [#"a & <b> ]]> 'c'"#, "# no directive", "ok 7 - x", "1..99", "back\\slash # todo", "x\\# todo"]
    var text = ""
    for (place, name) in names.enumerated() {
      let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text +=
        "test \"\(quoted)\"\n  expect \"<&]]>\\u{1}\" is \"\(place % 2 == 0 ? "<&]]>\\u{1}" : "&#1;")\"\nend\n"
    }
    let file = folder.file("names_test.ble", text)
    let report = "\(folder.path)/report.xml"
    let tap = Tooth.start(["test", file, "--tap", "--junit", report], environment: ["TOOTH_STATE": "\(folder.path)/state"]).wait()
    #expect(tap.code == 4, "\(tap)")
    let expected = names.enumerated().map { "\($0.element) \($0.offset % 2 == 0 ? "True" : "False")" }
    func plain(_ row: String) -> String {
      let inside = row.dropFirst().dropLast()
      guard let comma = inside.lastIndex(of: ",") else { return row }
      let name = inside[..<comma].dropFirst().dropLast().replacing("\\\\", with: "\\").replacing("\\'", with: "'")
      return String(name + inside[inside.index(after: comma)...])
    }
    #expect(rows("tap", tap.output).map(plain) == expected)
    let xml = (try? readFile(report, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(rows("junit", xml).map(plain) == expected)
  }
}
