import Linux
import Testing

@Suite struct OddClockTests {
  @Test func aClockThatIsSetToAnyYearIsRead() {
    // The year 2273, and before the year 1677.
    #expect(SystemClock.nanoseconds(seconds: 9_560_000_000, rest: 5) == .max)
    #expect(SystemClock.nanoseconds(seconds: -9_560_000_000, rest: 5) == .min + 5)
    #expect(SystemClock.nanoseconds(seconds: .max, rest: 999_999_999) == .max)
    #expect(SystemClock.nanoseconds(seconds: 1, rest: 5) == 1_000_000_005)
  }
}
