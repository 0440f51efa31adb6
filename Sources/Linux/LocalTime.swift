package import Vocabulary

/// The local time zone: `$TZ`, else `/etc/localtime`, else UTC.
package enum LocalTime {
  /// Reads the rules. `environment` looks up a variable; time zone files are in `folder`.
  package static func rules(
    environment: (String) -> String? = environment, folder: String = "/usr/share/zoneinfo", localTime: String = "/etc/localtime"
  ) -> TimeZoneRules {
    guard var text = environment("TZ") else { return load(localTime) ?? .utc }
    if text.hasPrefix(":") { text.removeFirst() }
    // Set but empty means UTC (tzset(3)).
    guard !text.isEmpty else { return .utc }
    if text.hasPrefix("/") { return load(text) ?? .utc }
    // The name must not lead out of the folder.
    if !text.split(separator: "/").contains(".."), let rules = load("\(folder)/\(text)") { return rules }
    return TimeZoneRules(posix: text) ?? .utc
  }

  private static func load(_ path: String) -> TimeZoneRules? {
    guard let bytes = try? readFile(path, limit: 1 << 20, isShort: true) else { return nil }
    return TimeZoneRules(tzif: bytes)
  }
}
