import Glibc
import Judgement
import Testing

struct JudgeReaderTests {
  @Test func aLineOfTheLogIsRead() throws {
    let line = try #require(
      AirLine(
        #"{"t":12.000000030,"kind":"acl","from":"A","to":"B","link":3,"cid":4,"bytes":"0a0c00","sent":11.5,"delivered":true,"host":false}"#,
        number: 7))
    #expect(line.time == 12_000_000_030)
    #expect(line.sent == 11_500_000_000)
    #expect(line.link == 3)
    #expect(line.bytes == [0x0A, 0x0C, 0])
    #expect(line.isAttribute)
    #expect(!line.reachedHost)
  }

  @Test(arguments: [
    "", "{", "{}", #"{"t":1}"#, #"{"kind":"acl"}"#, #"{"t":1,"kind":"acl"} x"#, #"{"t":1,"kind":"acl""#, #"{"t":"1","kind":"acl"}"#,
    #"{"t":1,"t":2,"kind":"acl"}"#, #"{"t":1,"kind":"acl","bytes":"0"}"#, #"{"t":1,"kind":"acl","bytes":"zz"}"#,
    #"{"t":1.0000000001,"kind":"acl"}"#,
    #"{"t":99999999999999999999,"kind":"acl"}"#, #"{"t":1,"kind":"a\u12"}"#,
  ])
  func linesThatAreNotLogLinesAreRefused(text: String) {
    #expect(AirLine(text, number: 1) == nil)
  }

  @Test func textOfJSONIsRead() throws {
    let line = try #require(JSONLine(#" { "a" : "x\"\\\n\u00e9" , "b" : -1.5 , "c" : null , "d" : false } "#))
    #expect(line["a"] == .text("x\"\\\né"))
    #expect(line["b"] == .number("-1.5"))
    #expect(line["c"] == .nothing)
    #expect(line["d"] == .flag(false))
  }

  @Test func answersShowTheProgressOfDiscovery() throws {
    func covered(_ request: [UInt8], _ answer: [UInt8]) -> Int? {
      DiscoveryRequest(AttributeMessage(bytes: request))?.covered(by: AttributeMessage(bytes: answer))
    }
    #expect(covered(LogBuilder.findService.0, LogBuilder.findService.1) == 0x0F)
    #expect(covered(LogBuilder.findCharacteristic.0, LogBuilder.findCharacteristic.1) == 0x0E)
    #expect(covered(LogBuilder.findDescriptor.0, LogBuilder.findDescriptor.1) == 0x0D)
    #expect(covered([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 1, 0, 9, 0, 0, 0x18, 0x0A, 0, 0x0F, 0, 0x0D, 0x18]) == 0x0F)
    #expect(covered([0x10, 0x10, 0, 0xFF, 0xFF, 0, 0x28], [0x01, 0x10, 0x10, 0, 0x0A]) == 0xFFFF)
    #expect(covered([0x10, 0x10, 0, 0xFF, 0xFF, 0, 0x28], [0x01, 0x10, 0x10, 0, 0x05]) == nil)
    #expect(covered([0x10, 0x10, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 0]) == nil)
    // Reading the hash, and reading by UUID, discover nothing.
    #expect(DiscoveryRequest(AttributeMessage(bytes: LogBuilder.readHash.0)) == nil)
    #expect(DiscoveryRequest(AttributeMessage(bytes: [0x08, 1, 0, 0xFF, 0xFF, 0x6E, 0x2A])) == nil)
    #expect(DiscoveryRequest(AttributeMessage(bytes: [0x08, 1, 0])) == nil)
  }

  /// The judge can disagree with the project because it uses none of its code.
  @Test func theJudgeImportsNothing() throws {
    let directory = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Judgement"
    let handle = try #require(opendir(directory))
    defer { closedir(handle) }
    var files = 0
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasSuffix(".swift") else { continue }
      files += 1
      let file = try #require(fopen("\(directory)/\(name)", "r"))
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, 4096, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #expect(!text.hasPrefix("import ") && !text.contains(" import "), "\(name): \(text)")
      }
    }
    #expect(files >= 10)
  }
}
