import Glibc
import Linux
import Testing
import Vocabulary

/// Secrets through real processes. Everything that a run writes is searched for them, also after a
/// kill and a resume.
@Suite struct SecretTests {
  let folder = Folder()

  private static let device = """
    let lock_service = a0b40000-926d-4d61-98df-8c5c62ee53b3
    let lock_control = a0b40001-926d-4d61-98df-8c5c62ee53b3
    peripheral lock named "Lock"
      advertise lock_service every 100ms
      service lock_service
        characteristic lock_control can read, write, write without response, notify
      end
      on write lock_control as asked
        if asked.hex().starts_with("ee"): refuse with 0x80
      end
    end

    """

  /// Derives, prints, stores, writes and fails in every way.
  private static let recipe = """
    input pin: secret "the code"
    let lock_service = a0b40000-926d-4d61-98df-8c5c62ee53b3
    let lock_control = a0b40001-926d-4d61-98df-8c5c62ee53b3
    let copy = pin
    let part = pin[1 .. 6]
    let capitals = pin.upper()
    let octets = pin.bytes()
    let digits = octets.hex()
    let parts = {whole: pin, list: [part, "{capitals}"], octets: octets}
    print pin, part, capitals, octets, digits, parts, text(parts), json(parts), "all of {pin} and {parts}"
    log "sent {pin} to Lock"
    warn octets.reverse()
    debug parts
    append parts to "kept.csv"
    append parts to "kept.jsonl"
    append octets to "kept.bin"
    save parts to "kept.json"
    save "{pin}" to "kept.txt"
    try
      fail "wrong code {pin}"
    otherwise
      print it.message, it
    end
    try
      expect digits is "x", "code {digits}"
    otherwise
      print it
    end
    try
      let n = number("{pin}x")
    otherwise
      print it
    end
    scan for lock_service
    connect
    set device.code to part
    write pin to lock_control
    write octets to lock_control without response
    let long = octets + octets + octets + octets + octets + octets + octets + octets
    write long + long + long + long + long to lock_control when unsure verify
    try
      write hex "ee" + octets to lock_control
    otherwise
      print it, it.last_exchange
    end
    print "ready"
    wait 2s
    print copy
    try
      print part
    otherwise
      print "lost: {it.message}"
    end
    fail "at the end {copy}"
    """

  /// Patterns for the search: parts of four characters in every form.
  private static func needles(_ secret: String) -> [(shape: String, bytes: [UInt8])] {
    let octets = Array(secret.utf8)
    var list: [(String, [UInt8])] = []
    for start in 0...octets.count - 4 {
      let part = Array(octets[start..<start + 4])
      let text = String(decoding: part, as: UTF8.self)
      list.append((text, part))
      list.append(("\(text) in capitals", Array(text.uppercased().utf8)))
      list.append(("\(text) in small letters", Array(text.lowercased().utf8)))
      list.append(("\(text) backwards", part.reversed()))
      for separator in ["", " "] {
        let hex = Hex.text(part, separator: separator)
        list.append(("\(text) in hex", Array(hex.utf8)))
        list.append(("\(text) in capital hex", Array(hex.uppercased().utf8)))
      }
    }
    return list
  }

  private func found(_ secret: String, in bytes: [UInt8]) -> String? {
    Self.needles(secret).first { bytes.holds($0.bytes) }?.shape
  }

  /// Every file in the folder except the recipe and the files of the air.
  private func files(_ path: String) -> [String] {
    guard let list = opendir(path) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let below = files("\(path)/\(name)")
      names += below.isEmpty ? ["\(path)/\(name)"] : below
    }
    return names
  }

  private func search(_ secret: String, _ told: [String]) throws {
    for text in told {
      #expect(found(secret, in: Array(text.utf8)) == nil, "\(found(secret, in: Array(text.utf8)) ?? ""): \(text)")
    }
    for path in files(folder.path) where !path.hasSuffix(".ble") {
      guard let bytes = try? readFile(path, limit: 1 << 26) else { continue }
      #expect(found(secret, in: bytes) == nil, "\(found(secret, in: bytes) ?? "") stands in \(path)")
    }
  }

  private func start(_ arguments: [String], _ secret: String) -> Tooth.Process {
    let environment = ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_SECRET_PIN": secret]
    return Tooth.start(arguments, environment: environment, directory: folder.path)
  }

  @Test(arguments: ["73194628", "gX4kQz!7pW", "Zoë-8841-kt"]) func nothingThatARunWritesHoldsItsSecret(secret: String) throws {
    folder.file("air.ble", Self.device)
    folder.file("r.ble", Self.recipe)
    let options = ["r.ble", "--adapter", "sim:air.ble", "-v"]
    let first = start(["run"] + options + ["--capture", "first.btsnoop"], secret)
    #expect(first.read { $0.text.contains("ready\n") }, "\(first.text)\(first.complaint)")
    first.signal(SIGKILL)
    let killed = first.wait()
    try search(secret, [killed.output, killed.errors])
    let second = start(["run"] + options + ["--capture", "second.btsnoop"], secret).wait()
    try search(secret, [second.output, second.errors])
    #expect(second.code == 1)
    #expect(second.output.contains("lost: `part` no longer has a value"), "\(second.output)\(second.errors)")
    let shown = start(["runs", "show", "r.ble"], secret).wait()
    let listed = start(["runs"], secret).wait()
    try search(secret, [shown.output, shown.errors, listed.output, listed.errors])
    #expect(folder.content("kept.jsonl")?.contains("•••") == true)
    #expect(killed.errors.contains("sent ••• to Lock"))
  }

  @Test func aSecretInputHasNoOption() {
    folder.file("r.ble", "input pin: secret \"the code\"\nprint count(pin)\n")
    for given in [["--pin", "4711"], ["--pin=4711"], ["--pin"]] {
      let result = Tooth.start(["run", "r.ble"] + given, directory: folder.path).wait()
      #expect(result.code == 2)
      #expect(result.errors.contains("TOOTH_SECRET_PIN") && result.errors.contains("--secret pin=…"), "\(result.errors)")
      #expect(!result.errors.contains("4711"))
    }
    let stray = Tooth.start(["run", "r.ble", "--secret", "pim=4711"], directory: folder.path).wait()
    #expect(stray.code == 2 && stray.errors.contains("did you mean pin?"), "\(stray.errors)")
    let help = Tooth.start(["help", "r.ble"], directory: folder.path).wait()
    #expect(help.output.contains("--secret pin=…") && help.output.contains("TOOTH_SECRET_PIN"), "\(help.output)")
    #expect(!help.output.contains("--pin"))
    folder.file("pin", "123\n")
    let ways: [([String: String], Int)] = [
      (["TOOTH_SECRET_PIN": "1"], 1), (["TOOTH_SECRET_pin": "12"], 2), (["TOOTH_SECRET_PIN": "1", "TOOTH_SECRET_pin": "12"], 2),
      (["CREDENTIALS_DIRECTORY": folder.path], 3), (["CREDENTIALS_DIRECTORY": folder.path, "TOOTH_SECRET_PIN": "1"], 1),
    ]
    for (environment, count) in ways {
      let line = ["run", "r.ble", "--adapter", "sim:\(Tooth.package)/recipes/devices/valve.ble", "--state", "\(folder.path)/state"]
      let result = Tooth.start(line, environment: environment, directory: folder.path).wait()
      #expect(result.output == "\(count)\n", "\(result.errors)")
    }
  }

  /// Core dumps exclude the memory of a run with a secret, and its files in /proc belong to root.
  @Test func aRunWithASecretIsNotDumped() throws {
    folder.file("air.ble", Self.device)
    folder.file("r.ble", "input pin: secret\nprint count(pin)\nwait 1min\n")
    let run = start(["run", "r.ble", "--adapter", "sim:air.ble"], "4711")
    #expect(run.read { $0.text.contains("4\n") }, "\(run.complaint)")
    let limits = String(decoding: try readFile("/proc/\(run.pid)/limits", limit: 1 << 16), as: UTF8.self)
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
    run.signal(SIGTERM)
    #expect(run.wait().code == 128 + SIGTERM)
  }
}
