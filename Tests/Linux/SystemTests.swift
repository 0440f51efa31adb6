import Linux
import Testing
import Vocabulary

@Suite struct SystemTests {
  @Test func theClocksGoOn() {
    let one = SystemClock.now()
    let two = SystemClock.now()
    #expect(two.moment >= one.moment)
    #expect(one.wall > .simulationStart - .days(4000))
  }

  @Test func theBootHasAName() {
    #expect(SystemClock.bootID().utf8.count == 32)
    #expect(SystemClock.bootID() == SystemClock.bootID())
  }

  @Test func twoSeedsDiffer() { #expect(SystemClock.seed() != SystemClock.seed()) }

  let scratch = LinuxScratch()

  @Test func theTimeZoneComesFromTZOrTheSystem() {
    let summer = WallTime(nanoseconds: 1_782_000_000_000_000_000)
    func offset(_ zone: String?) -> Int {
      LocalTime.rules(environment: { $0 == "TZ" ? zone : nil }, folder: scratch.path, localTime: "\(scratch.path)/none").offset(
        at: summer)
    }
    #expect(offset(nil) == 0)
    #expect(offset("") == 0)
    #expect(offset("CET-1CEST,M3.5.0,M10.5.0/3") == 7200)
    #expect(offset(":UTC-5") == 18000)
    #expect(offset("No/Such_Zone") == 0)
    #expect(offset("../../etc/passwd") == 0)
  }
}
