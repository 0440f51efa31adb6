import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// Forms in which a secret could appear, and a search for them in bytes.
struct Needles {
  private(set) var list: [(shape: String, bytes: [UInt8])] = []

  init(_ secret: String) {
    let octets = Array(secret.utf8)
    for start in 0...max(0, octets.count - 4) {
      let part = Array(octets[start..<min(start + 4, octets.count)])
      let text = String(decoding: part, as: UTF8.self)
      list.append(("the part \(text)", part))
      list.append(("the part \(text) in capitals", Array(text.uppercased().utf8)))
      list.append(("the part \(text) in small letters", Array(text.lowercased().utf8)))
      list.append(("the part \(text) backwards", part.reversed()))
      let hex = TextRendering.hex(part)
      list.append(("the part \(text) in hex", Array(hex.utf8)))
      list.append(("the part \(text) in capital hex", Array(hex.uppercased().utf8)))
    }
    guard let number = Int64(secret) else { return }
    var little: [UInt8] = []
    withUnsafeBytes(of: number.littleEndian) { little = Array($0.prefix(4)) }
    while little.last == 0 { little.removeLast() }
    list.append(("the number as octets", little))
    list.append(("the number as octets, highest first", little.reversed()))
    var writer = ByteWriter()
    writer.put(zigzag: number)
    list.append(("the number of a checkpoint", writer.bytes))
    list.append(("the number in hex", Array(String(number, radix: 16).utf8)))
  }

  func found(in bytes: [UInt8]) -> String? { list.first { bytes.holds($0.bytes) }?.shape }
  func found(in text: String) -> String? { found(in: Array(text.utf8)) }
}

/// Every operator, method and built-in: its result for a secret is a secret, unless the table says
/// otherwise.
@Suite struct SecretValueTests {
  static let pin = "73194628"

  /// Whether the value of `text` is a secret, and what `print` shows of it. `pin` and `other` are
  /// given, and `data`, `list` and `record` contain `pin`.
  private func outcome(_ text: String) throws -> (isSecret: Bool, shown: String) {
    var bench = try Bench(
      """
      input pin: secret "the code"
      let data = pin.bytes()
      let list = [1, pin]
      let record = {a: pin, b: 2}
      let number_of = number(pin)
      let v = \(text)
      print v
      log v
      wait 1s
      """, inputs: [("pin", .text(Self.pin))])
    try #require(bench.failures.isEmpty, "\(text): \(bench.failures)")
    bench.advance(.milliseconds(1))
    let index = try #require(bench.machine.program.variables.firstIndex { $0.name == "v" })
    let value = bench.machine.variables[index]
    let needles = Needles(Self.pin)
    for (key, row) in bench.rows {
      #expect(needles.found(in: row) == nil, "\(text): \(needles.found(in: row) ?? "") stands in \(key)")
    }
    for line in bench.printed + bench.logged {
      #expect(needles.found(in: line) == nil, "\(text) shows \(needles.found(in: line) ?? ""): \(line)")
    }
    return (value.holdsSecret, bench.printed.first ?? "")
  }

  private static func example(_ operation: BinaryOperator) -> (text: String, isSecret: Bool) {
    switch operation {
    case .add: ("pin + \"x\"", true)
    case .subtract: ("number_of - 1", true)
    case .multiply: ("2 * number_of", true)
    case .divide: ("number_of / 4", true)
    case .modulo: ("number_of mod 10000", true)
    case .bitAnd: ("number_of & 0xffff", true)
    case .bitOr: ("1 | number_of", true)
    case .bitXor: ("number_of ^ 1", true)
    case .shiftLeft: ("number_of << 2", true)
    case .shiftRight: ("number_of >> 2", true)
    case .equal: ("pin is \"x\"", false)
    case .notEqual: ("list is not [1, \"x\"]", false)
    case .less: ("number_of < 3", false)
    case .lessOrEqual: ("3 <= number_of", false)
    case .greater: ("pin > \"x\"", false)
    case .greaterOrEqual: ("pin >= pin", false)
    case .in: ("pin in list", false)
    case .contains: ("pin contains \"31\"", false)
    case .matches: ("pin matches \"7*\"", false)
    case .and: ("pin is \"x\" and true", false)
    case .or: ("pin is \"x\" or true", false)
    }
  }

  @Test(
    arguments: [
      BinaryOperator.add, .subtract, .multiply, .divide, .modulo, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight, .equal,
      .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .contains, .matches, .and, .or,
    ]) func operators(operation: BinaryOperator) throws
  {
    let (text, isSecret) = Self.example(operation)
    #expect(try outcome(text).isSecret == isSecret, "\(text)")
  }

  /// Nil for features that this version lacks.
  private static func example(_ function: BuiltIn.Function) -> [(text: String, isSecret: Bool)] {
    switch function {
    case .count: [("count(pin)", false), ("count(list)", false)]
    case .crc32: [("crc32(pin)", false)]
    case .text: [("text(pin)", true), ("text(list)", true)]
    case .number: [("number(pin)", true)]
    case .bytes: [("bytes(pin)", true), ("bytes([number_of mod 256])", true)]
    case .address: [("address(\"C4:7C:8D:6A:12:{pin[0 .. 2]}\")", true)]
    case .uuid: [("uuid(number_of mod 60000)", true)]
    case .json: [("json(pin)", true), ("json(record)", true)]
    case .csv: [("csv(\"a,b\\n1,{pin}\\n\")", true), ("csv([record])", true)]
    case .crc16: [("crc16(pin)", true)]
    case .min: [("min(number_of, 99999999)", true), ("min([number_of, 99999999])", true)]
    case .max: [("max(1, number_of)", true)]
    case .round: [("round(number_of / 3)", true), ("round(number_of / 3, 1)", true)]
    case .floor: [("floor(number_of / 3)", true)]
    case .ceil: [("ceil(number_of / 3)", true)]
    case .abs: [("abs(-number_of)", true)]
    case .sum: [("sum([1, number_of])", true), ("sum(pin.bytes())", true)]
    case .average: [("average([1, number_of])", true)]
    case .chunks: [("chunks(pin, 4)", true), ("chunks(list, 1)", true)]
    case .join: [("join([pin, \"x\"])", true), ("join([\"x\", \"y\"], pin)", true)]
    case .now: [("now() < now()", false)]
    case .random, .devices: [("random(1, 2) is 3", false)]
    case .sha256, .hmacSHA256, .aes, .aesCMAC, .file, .env: []
    }
  }

  @Test(arguments: BuiltIn.Function.allCases) func builtIns(function: BuiltIn.Function) throws {
    for (text, isSecret) in Self.example(function) { #expect(try outcome(text).isSecret == isSecret, "\(text)") }
  }

  private static func example(_ function: Method.Function) -> [(text: String, isSecret: Bool)] {
    switch function {
    case .upper: [("pin.upper()", true)]
    case .lower: [("\"Code {pin}\".lower()", true)]
    case .trim: [("\" {pin} \".trim()", true)]
    case .split: [("pin.split(\"1\")", true), ("\"a{pin}b\".split(pin)", true)]
    case .lines: [("\"a\\n{pin}\".lines()", true)]
    case .startsWith: [("pin.starts_with(\"7\")", false), ("\"x\".starts_with(pin)", false)]
    case .endsWith: [("pin.ends_with(\"7\")", false)]
    case .replace: [("pin.replace(\"7\", \"\")", true), ("\"x\".replace(\"x\", pin)", true)]
    case .bytes: [("pin.bytes()", true)]
    case .hex: [("data.hex()", true)]
    case .text: [("data.text()", true), ("data.text(2)", true)]
    case .sort: [("[pin, \"a\"].sort()", true)]
    case .reverse: [("data.reverse()", true), ("list.reverse()", true)]
    case .keys: [("record.keys()", false)]
    case .values: [("record.values()", true)]
    case .get: [("record.get(\"a\", 0)", true), ("{x: 1}.get(\"y\", pin)", true)]
    case .without: [("record.without(\"b\")", true), ("record.without(\"a\")", false)]
    // `SensorFormatTests` decrypts with a secret.
    case .decrypt: []
    }
  }

  @Test(arguments: Method.Function.allCases) func methods(function: Method.Function) throws {
    for (text, isSecret) in Self.example(function) { #expect(try outcome(text).isSecret == isSecret, "\(text)") }
  }

  @Test func aSecretReferenceIsStoredUnchanged() throws {
    for bytes: [UInt8] in [[17, 1, 3] + Array("pin".utf8), [17, 0]] {
      let value = try Value(encoded: bytes)
      #expect(value.encoded == bytes)
      #expect(value.settled([], holder: "code").encoded == bytes, "the input is known whoever held its value")
    }
  }

  @Test func numbersAsBytes() throws {
    for name in NumberType.table.map(\.name) {
      #expect(try outcome("\(name)(number_of mod 100)").isSecret, "\(name)(…)")
      #expect(try outcome("(data + data).\(name)(0)").isSecret, ".\(name)(…)")
    }
  }

  @Test(
    arguments: [
      ("pin[0 .. 5]", true), ("pin[3]", true), ("data[2 .. 6]", true), ("data[0]", true), ("[1, 2, 3][number_of mod 3]", true),
      ("list[1]", true), ("list[0]", false), ("list.last", true), ("list[0 .. 1]", false), ("record.a", true), ("record.b", false),
      ("json(\"\\{\\\"a\\\": \\\"{pin}\\\"\\}\").a", true), ("-number_of", true), ("not (pin is \"x\")", false),
      ("\"is {pin}\"", true), ("\"is {list}\"", true), ("\"is {number_of:012}\"", true), ("\"is {pin:hex}\"", true),
      ("\"is {number_of:.2}\"", true), ("[pin]", true), ("{x: [pin]}", true), ("pin if pin is \"x\" else 1", false),
      ("pin if pin is not \"x\" else 1", true), ("list + [pin]", true), ("1 + count(pin)", false), ("number_of * 1s", true),
      ("now() + number_of * 1ms", true),
    ] as [(String, Bool)]) func expressions(text: String, isSecret: Bool) throws
  {
    #expect(try outcome(text).isSecret == isSecret, "\(text)")
  }

  @Test(
    arguments: [
      ("\"sent {pin} to {1 + 1}\"", "sent ••• to 2"), ("\"a{pin}\" + \"b{pin}c\"", "a•••b•••c"), ("list", "[1,\"•••\"]"),
      ("record", "a=••• b=2"), ("pin.upper()", "•••"), ("text(list)", "•••"),
    ] as [(String, String)]) func secretsAreShownMasked(text: String, shown: String) throws
  {
    #expect(try outcome(text).shown == shown)
  }

  /// The error of a failed computation names its subject, not the secret value.
  @Test(
    arguments: [
      "number(\"{pin}x\")", "number_of + 9223372036854775807", "data.text(90)", "list[number_of]", "bytes(\"{pin}x\")", "uuid(pin)",
      "u8(number_of)", "address(pin)", "record[pin]", "pin + 1", "-9223372036854775807 - number_of", "json(\"[{pin}\")",
      "number_of << 62", "csv(\"a\\n1,{pin}\")", "pin.count", "chunks(pin, 0)", "1 / (number_of - number_of)",
    ]) func failures(text: String) throws
  {
    let bench = try Bench(
      "input pin: secret\nlet data = pin.bytes()\nlet list = [pin]\nlet record = {a: pin}\nlet number_of = number(pin)\nwait 1s\nlet v = \(text)\n",
      inputs: [("pin", .text(Self.pin))])
    var after = bench
    after.advance(.seconds(2))
    let failure = try #require(after.failures.first, "\(text) does not fail")
    let words = "\(failure.message) \(failure.hint ?? "")"
    #expect(Needles(Self.pin).found(in: words) == nil, "\(words)")
    #expect(words.contains("secret"), "\(words)")
  }
}
