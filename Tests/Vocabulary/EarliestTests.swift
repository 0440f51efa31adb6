import Testing
import Vocabulary

@Suite struct EarliestTests {
  private static let one = Moment(nanoseconds: 1)
  private static let two = Moment(nanoseconds: 2)

  @Test func earliestIgnoresMissingMoments() {
    #expect(earliest(nil, nil) == nil)
    #expect(earliest(Self.two, nil) == Self.two && earliest(nil, Self.two) == Self.two)
    #expect(earliest(Self.two, Self.one) == Self.one && earliest(Self.one, Self.two) == Self.one)
    #expect(earliest(nil, Self.two, nil, Self.one) == Self.one && earliest(nil, nil, nil) == nil)
  }

  @Test func aDeadlineAdvancesAndNeverRetreats() {
    var next: Moment?
    next.advance(to: nil)
    #expect(next == nil)
    for (moment, result) in [(Self.two, Self.two), (Self.one, Self.one), (Self.two, Self.one), (nil, Self.one)] {
      next.advance(to: moment)
      #expect(next == result)
    }
  }
}
