import KeeperProcess
import Linux
import Vocabulary

/// A unit of systemd for one recipe, as text.
struct ServiceUnit: Equatable {
  /// What it is for.
  struct Place: Equatable {
    /// A service of the machine, else one of the user.
    var isSystem: Bool
    /// The unprivileged user of a service of the machine; a user of its own when there is none.
    var user: String?
    /// Whether the machine has a keeper for this adapter, which is to be used: `hci0`.
    var keeper: String?
  }

  var name: String
  /// The file of the program.
  var program: String
  var recipe: String
  /// Options and inputs, as they are given to `tooth run`.
  var arguments: [String]
  /// Where file names of the recipe begin.
  var directory: String
  var place: Place
  /// Inputs whose values must not be in the unit.
  var secrets: [String] = []

  /// Where a file without a folder in its name is.
  var dataFolder: String { place.isSystem && place.user == nil ? "/var/lib/tooth/\(name)" : directory }

  var stateFolder: String { place.isSystem ? "/var/lib/tooth/\(name)" : "~/.local/state/tooth" }

  func credential(_ secret: String) -> String {
    place.isSystem ? "/etc/tooth/\(name).\(secret)" : "%h/.config/tooth/\(name).\(secret)"
  }

  /// In a folder of which a service with PrivateTmp= has its own.
  static func isTemporary(_ path: String) -> Bool {
    ["/tmp", "/var/tmp"].contains { path == $0 || path.hasPrefix("\($0)/") || path.hasSuffix(":\($0)") || path.holds(":\($0)/") }
  }

  /// Says that a unit is ours; remove and status believe nothing else.
  static let mark = "# Made by tooth service install; tooth service remove deletes it."

  var fileName: String { "tooth-\(name).service" }

  var text: String {
    var lines = [Self.mark, "[Unit]", "Description=Bluetooth recipe \(Self.plain(name))", "Documentation=man:tooth(1)"]
    if place.isSystem { lines.append("After=bluetooth.service") }
    if let keeper = place.keeper {
      lines.append("Wants=tooth-keeper@\(keeper).socket")
      lines.append("After=tooth-keeper@\(keeper).socket")
    }
    lines += [
      "StartLimitIntervalSec=5min", "StartLimitBurst=10", "", "[Service]", "Type=notify", "NotifyAccess=main", "WatchdogSec=30",
    ]
    lines.append("ExecStart=" + ([program, "run", recipe] + arguments).map(Self.word).joined(separator: " "))
    lines += ["Restart=on-failure", "RestartSec=2", "RestartPreventExitStatus=2 3 11", "TimeoutStopSec=30"]
    if !secrets.isEmpty {
      lines.append("# The secrets of the recipe, each in a file that only its owner reads:")
      lines += secrets.map { "#LoadCredential=\($0):\(credential($0))" }
    }
    if place.isSystem {
      lines += ["StateDirectory=tooth/\(name)", "StateDirectoryMode=0700"]
      if place.keeper != nil {
        lines += [
          "# Unlike a stop, a restart leaves the links with the keeper.",
          "ExecStop=\(ServiceJob.marking)",
          "RuntimeDirectory=tooth-runs/\(name)",
        ]
      }
      if let user = place.user {
        lines += ["User=\(user)", "WorkingDirectory=\(Self.plain(directory))"]
      } else {
        lines += ["DynamicUser=yes", "WorkingDirectory=%S/tooth/\(name)"]
      }
      if place.keeper != nil {
        lines += [
          "Environment=TOOTH_KEEPER_DIRECTORY=\(KeeperPlace.shared)", "SupplementaryGroups=tooth", "CapabilityBoundingSet=",
        ]
      } else {
        lines += ["CapabilityBoundingSet=CAP_NET_ADMIN", "AmbientCapabilities=CAP_NET_ADMIN"]
      }
      lines += [
        "NoNewPrivileges=yes", "ProtectSystem=\(place.user == nil ? "strict" : "full")", "PrivateTmp=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes", "ProtectControlGroups=yes", "RestrictNamespaces=yes", "RestrictSUIDSGID=yes",
        "LockPersonality=yes", "MemoryDenyWriteExecute=yes", "SystemCallArchitectures=native",
      ]
    } else {
      lines.append("WorkingDirectory=\(Self.plain(directory))")
    }
    lines += ["", "[Install]", "WantedBy=\(place.isSystem ? "multi-user.target" : "default.target")", ""]
    return lines.joined(separator: "\n")
  }

  /// Of the recipe, in what a name of a unit may hold.
  static func name(of recipe: String) -> String {
    var name = recipe.split(separator: "/").last.map(String.init) ?? recipe
    if name.hasSuffix(".ble") { name.removeLast(4) }
    return isName(name) ? name : String(name.map { isName(String($0)) ? $0 : "-" })
  }

  static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// A setting that is taken as it stands has no way to write them.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7F }

  /// The value of a setting that is taken as it stands, but for specifiers.
  private static func plain(_ text: String) -> String { String(text.flatMap { $0 == "%" ? ["%", "%"] : [$0] }) }

  /// One word of a command line (systemd.service(5), systemd.syntax(7)).
  static func word(_ text: String) -> String {
    var word = ""
    var isPlain = !text.isEmpty
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": word += "%%"
      case "$": word += "$$"
      case "\\":
        word += "\\\\"
        isPlain = false
      case "\"":
        word += "\\\""
        isPlain = false
      case "\n":
        word += "\\n"
        isPlain = false
      case "\t":
        word += "\\t"
        isPlain = false
      case _ where isControl(scalar):
        // A carriage return ends a line as well, for systemd.
        word += "\\x" + Hex.text(UInt8(truncatingIfNeeded: scalar.value))
        isPlain = false
      case " ", "'", ";":
        word.unicodeScalars.append(scalar)
        isPlain = false
      default: word.unicodeScalars.append(scalar)
      }
    }
    return isPlain ? word : "\"\(word)\""
  }
}
