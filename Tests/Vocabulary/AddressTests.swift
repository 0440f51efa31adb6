import Testing

@testable import Vocabulary

@Suite struct AddressTests {
  @Test func anAddressPrintsAsItWasParsed() {
    #expect(Address("C4:7C:8D:6A:12:0F/random")?.withKind == "C4:7C:8D:6A:12:0F/random")
    #expect(Address("c4:7c:8d:6a:12:0f")?.withKind == "C4:7C:8D:6A:12:0F/public")
  }

  @Test(arguments: [
    "", "C4:7C:8D:6A:12", "C4:7C:8D:6A:12:0F:", "C4:7C:8D:6A:12:0G", "C4:7C:8D:6A:12:0F/", "+4:7C:8D:6A:12:0F",
    "C4:7C:8D:6A:12:0F/random/random",
  ])
  func invalidAddressesAreRefused(text: String) { #expect(Address(text) == nil) }
}
