import Exchange
import KeeperProcess
import Vocabulary

/// Files of the bond store. What can be read is written again as it is, and what bluetoothd gets of
/// a bond is the same bond.
enum BondFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let kind = bytes.first else { return }
    let bytes = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0: if let bond = roundTrip(Bond.self, bytes) { export(bond) }
    case 1:
      guard let identity = roundTrip(LocalIdentity.self, bytes) else { return }
      demand(identity.key.count == 16, "a key of \(identity.key.count) octets")
    default: _ = roundTrip(ServerMemory.self, bytes)
    }
  }

  private static func export(_ bond: Bond) {
    demand(7...16 ~= bond.keySize, "a key size of \(bond.keySize)")
    for secret in bond.secrets { demand(secret.count == 16, "a key of \(secret.count) octets") }
    // Other bonds cannot be expressed there.
    guard bond.identity.kind == .public || bond.identity.isStaticRandom else { return }
    let text = BlueZBonds.write(bond)
    guard let found = try? BlueZBonds.read(text, device: Address(bits: bond.identity.bits, kind: .public), at: bond.madeAt),
      let again = found.bond
    else { return }
    demand(again.identity == bond.identity && again.keys == bond.keys, "\(text) is another bond")
    demand(again.isAuthenticated == bond.isAuthenticated && again.keySize == bond.keySize, "\(text) proves something else")
    demand(again.identityKey == nil || again.identityKey == bond.identityKey, "\(text) has another identity key")
  }
}

/// The `info` files of bluetoothd. What is accepted is a bond that can be written and read again.
enum BlueZFuzz {
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let device = Address(bits: bytes.count % 2 == 0 ? 0xC47C_8D6A_120F : 0x001B_DC0A_0B0D, kind: .public)
    let found: BlueZBonds.Found
    do throws(BlueZBonds.Refusal) { found = try BlueZBonds.read(text, device: device, at: .simulationStart) } catch {
      return demand(!error.reason.isEmpty && !error.reason.utf8.contains { $0 < 0x20 }, "refused as \(error.reason)")
    }
    guard let bond = found.bond else { return }
    demand(bond.identity.bits == device.bits && 7...16 ~= bond.keySize, "\(bond) is no bond of \(device)")
    for secret in bond.secrets { demand(secret.count == 16 && secret.contains { $0 != 0 }, "a key that is none") }
    demand((try? Bond(encoded: bond.encoded)) == bond, "\(bond) cannot be stored")
    let written = BlueZBonds.write(bond)
    let again = try? BlueZBonds.read(written, device: device, at: .simulationStart)
    demand(nameless(again?.bond) == nameless(bond) && again?.remarks == [], "\(text) is written as \(written)")
  }

  /// A line has no place for a zero byte in a name.
  private static func nameless(_ bond: Bond?) -> Bond? {
    var bond = bond
    bond?.name = nil
    return bond
  }
}
