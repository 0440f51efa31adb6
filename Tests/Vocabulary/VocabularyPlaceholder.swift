import Testing

@testable import Vocabulary

@Test func anAddressPrintsAsItIsRead() {
  #expect(Address("C4:7C:8D:6A:12:0F/random")?.withKind == "C4:7C:8D:6A:12:0F/random")
  #expect(Address("C4:7C:8D:6A:12") == nil)
}
