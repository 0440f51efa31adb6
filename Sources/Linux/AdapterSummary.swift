import CBluez
import Glibc
package import Packets
package import Vocabulary

/// The facts that the kernel reports of an adapter to this process.
package struct AdapterSummary: Equatable, Sendable {
  package enum Block: Equatable, Sendable { case none, soft, hard }

  /// How an adapter is used.
  package enum Use: Equatable, Sendable {
    /// Off and unused.
    case free
    /// On, managed by the kernel (and by a daemon, if one runs).
    case kernel
    /// A program uses its user channel.
    case program
    /// Unknown to the management channel: still being set up, or without firmware.
    case settingUp
  }

  package var index: UInt16
  package var address: Address?
  /// The bus: `USB`, `UART`, `virtual` …
  package var bus: String
  /// The product name of the device, or the kernel's name for it.
  package var product: String?
  package var use: Use
  package var block: Block
  package var info: ControllerInfo?

  package init(
    index: UInt16, address: Address?, bus: String, product: String? = nil, use: Use, block: Block = .none,
    info: ControllerInfo? = nil
  ) {
    self.index = index
    self.address = address
    self.bus = bus
    self.product = product
    self.use = use
    self.block = block
    self.info = info
  }

  package var name: String { "hci\(index)" }

  package var addressText: String { address.map { "\($0)" } ?? "no address" }

  package var isPowered: Bool { info?.current.contains(.powered) ?? false }

  /// The kernel's flags HCI_UP and HCI_INIT.
  private static let isUp: UInt32 = 1 << 0

  private static let buses = ["virtual", "USB", "PC card", "UART", "RS-232", "PCI", "SDIO", "SPI", "I2C", "SMD", "VIRTIO"]

  /// Returns all adapters that this process may see; none after an error.
  package static func all() -> [AdapterSummary] {
    guard let management = try? ManagementSocket(), let all = try? all(management) else { return [] }
    return all
  }

  /// Returns all adapters, by index.
  package static func all(_ management: ManagementSocket) throws(AdapterFault) -> [AdapterSummary] {
    // A socket that is bound to the management channel cannot read the list.
    let raw = cbluez_hci_socket()
    guard raw >= 0 else { throw AdapterFault(opening: SystemFailure("listing the adapters")) }
    defer { close(raw) }
    var room = [UInt16](repeating: 0, count: 64)
    let count = cbluez_controllers(raw, &room, Int32(room.count))
    guard count >= 0 else { throw .system(SystemFailure("listing the adapters")) }
    let managed: [UInt16]
    do throws(ManagementSocket.Refusal) { managed = try management.indexes() } catch { throw AdapterFault(error) }
    return room.prefix(Int(count)).sorted().compactMap { index in
      var octets = [UInt8](repeating: 0, count: 6)
      var bus: UInt8 = 0
      var flags: UInt32 = 0
      guard cbluez_controller(raw, index, &octets, &bus, &flags) == 0 else { return nil }
      let bits = octets.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
      let info = managed.contains(index) ? try? management.info(of: index) : nil
      let use: Use =
        if let info {
          info.current.contains(.powered) ? .kernel : .free
        } else if managed.contains(index) {
          .free
        } else {
          flags & isUp != 0 ? .program : .settingUp
        }
      return AdapterSummary(
        index: index, address: bits == 0 ? nil : Address(bits: bits, kind: .public),
        bus: buses.indices.contains(Int(bus)) ? buses[Int(bus)] : "bus \(bus)", product: product(of: index), use: use,
        block: block(of: index), info: info)
    }
  }

  /// The name of a USB adapter, or the one in the device tree for an adapter on the board.
  private static func product(of index: UInt16) -> String? {
    let device = "/sys/class/bluetooth/hci\(index)/device"
    if let product = Files.line("\(device)/../product") {
      return [Files.line("\(device)/../manufacturer"), product].compactMap { $0 }.joined(separator: " ")
    }
    return Files.line("\(device)/of_node/compatible")
  }

  private static func block(of index: UInt16) -> Block {
    let place = "/sys/class/bluetooth/hci\(index)"
    guard let entry = Files.names(in: place).first(where: { $0.hasPrefix("rfkill") }) else { return .none }
    if Files.line("\(place)/\(entry)/hard") == "1" { return .hard }
    return Files.line("\(place)/\(entry)/soft") == "1" ? .soft : .none
  }
}

extension AdapterFault {
  init(_ refusal: ManagementSocket.Refusal) {
    switch refusal {
    case .system(let failure): self = .system(failure)
    case .status(let status): self.init(.system, "the kernel's management interface refused: \(status)")
    }
  }
}
