package import Exchange
import Recipe
package import Vocabulary

/// The built-in formats of advertising data, for showing what a device advertises.
package struct AdvertisedFormats: Sendable {
  private var formats = ProgramFormats()

  /// Parses them, which takes a few milliseconds.
  package init() {
    let file = RecipeFile(name: "")
    for name in FormatCatalog.names { _ = formats.advertised(name, in: file, named: [:]) }
  }

  /// The value of the first format that fits.
  package func value(of advertisement: Advertisement, zone: TimeZoneRules) -> Value? {
    guard !advertisement.manufacturer.isEmpty || !advertisement.serviceData.isEmpty else { return nil }
    for number in formats.advertised.indices {
      if let found = formats.decode(advertisement, by: number, zone: zone) { return found.value }
    }
    return nil
  }
}
