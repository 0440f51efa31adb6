import Glibc

/// The fuzz targets: readers of bytes and text from outside, and the machines that use them.
enum Family: String, CaseIterable {
  case hci, h4, l2cap, att, advertising, btsnoop, client, server, host, formats, recipe, checkpoint, text, keeper, inputs, smp,
    bond, bluez

  /// Selected by `TOOTH_FUZZ`. `list` prints all names, for Scripts/fuzz.
  static let chosen: Family = {
    let name = getenv("TOOTH_FUZZ").map { String(cString: $0) } ?? ""
    if name == "list" {
      for family in allCases { puts(family.rawValue) }
      exit(0)
    }
    guard let family = Family(rawValue: name) else {
      complain("TOOTH_FUZZ=NAME, where NAME is one of: \(allCases.map(\.rawValue).joined(separator: " "))")
      exit(2)
    }
    return family
  }()

  func run(_ bytes: [UInt8]) {
    switch self {
    case .hci: HCIFuzz.run(bytes)
    case .h4: H4Fuzz.run(bytes)
    case .l2cap: L2CAPFuzz.run(bytes)
    case .att: ATTFuzz.run(bytes)
    case .advertising: AdvertisingFuzz.run(bytes)
    case .btsnoop: BtsnoopFuzz.run(bytes)
    case .client: ClientFuzz.run(bytes)
    case .server: ServerFuzz.run(bytes)
    case .host: HostFuzz.run(bytes)
    case .formats: FormatFuzz.run(bytes)
    case .recipe: RecipeFuzz.run(bytes)
    case .checkpoint: CheckpointFuzz.run(bytes)
    case .text: TextFuzz.run(bytes)
    case .keeper: KeeperFuzz.run(bytes)
    case .inputs: InputFuzz.run(bytes)
    case .smp: SMPFuzz.run(bytes)
    case .bond: BondFuzz.run(bytes)
    case .bluez: BlueZFuzz.run(bytes)
    }
  }
}
