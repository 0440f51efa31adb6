import Exchange
import Session
import Testing
import Vocabulary

@Suite struct SightingsTests {
  private func heard(_ number: Int, name: String? = nil, services: [UUID] = []) -> Advertisement {
    var advertisement = Advertisement(address: Address(bits: UInt64(number), kind: .random))
    advertisement.name = name
    advertisement.services = services
    return advertisement
  }

  private let start = Moment(nanoseconds: 0)

  @Test func aDeviceIsShownOnceAsSoonAsItIsKnown() {
    var sightings = Sightings()
    let strap = heard(1, name: "Strap", services: [UUID(0x180D)])
    #expect(sightings.hear(strap, at: start) == strap)
    #expect(sightings.hear(strap, at: start) == nil)
    #expect(sightings.due(at: start + .seconds(9)).isEmpty)
    #expect(sightings.nextDue == nil)
    #expect(sightings.count == 1)
  }

  @Test func anUnnamedDeviceIsShownAfterAMoment() {
    var sightings = Sightings()
    #expect(sightings.hear(heard(1), at: start) == nil)
    #expect(sightings.hear(heard(2), at: start + .milliseconds(10)) == nil)
    #expect(sightings.hear(heard(1, name: "Lamp"), at: start + .milliseconds(20)) == nil)
    #expect(sightings.nextDue == start + Sightings.patience)
    #expect(sightings.due(at: start + .milliseconds(399)).isEmpty)
    #expect(sightings.due(at: start + .milliseconds(400)) == [heard(1, name: "Lamp")])
    #expect(sightings.due(at: start + .milliseconds(400), all: true) == [heard(2)])
    #expect(sightings.nextDue == nil)
  }

  @Test func anEarlyDeviceDoesNotDelayOthers() {
    var sightings = Sightings()
    #expect(sightings.hear(heard(1), at: start) == nil)
    #expect(sightings.hear(heard(2), at: start + .milliseconds(100)) == nil)
    let strap = heard(1, name: "Strap", services: [UUID(0x180D)])
    #expect(sightings.hear(strap, at: start + .milliseconds(150)) == strap)
    #expect(sightings.nextDue == start + .milliseconds(500))
    #expect(sightings.due(at: start + .seconds(1)) == [heard(2)])
  }

  @Test func anEndlessStreamOfAddressesIsForgottenAgain() {
    var sightings = Sightings()
    var shown = 0
    for number in 0..<300_000 {
      let now = start + .microseconds(Int64(number) * 1000)
      _ = sightings.hear(heard(number), at: now)
      shown += sightings.due(at: now).count
      if number.isMultiple(of: 50_000) { #expect(sightings.kept <= 2 * Sightings.generation + 4096) }
    }
    #expect(shown == 300_000 - 400)
    #expect(sightings.count == 300_000)
    // The newest are still known.
    #expect(sightings.hear(heard(299_000), at: start + .seconds(301)) == nil)
    #expect(sightings.due(at: start + .seconds(302), all: true).count == 400)
  }
}
