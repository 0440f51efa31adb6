import Glibc
package import Vocabulary

/// Why an adapter of the kernel cannot be taken, and the command that helps.
package struct AdapterFault: Error, Equatable, Sendable {
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The kernel has no Bluetooth support (EAFNOSUPPORT).
    case noBluetooth
    /// There is no adapter.
    case noAdapter
    /// The named adapter does not exist (ENODEV).
    case missing
    /// CAP_NET_ADMIN is missing (EPERM).
    case notPermitted
    /// rfkill blocks it (ERFKILL).
    case blocked
    /// Another program holds its user channel (EBUSY).
    case held
    /// The kernel is still setting it up, or failed to (EBUSY).
    case settingUp
    /// The kernel uses it and does not give it up (EBUSY).
    case busy
    /// Other programs have links on it.
    case linked
    /// It does not support Low Energy.
    case classicOnly
    case system
    /// Another tooth holds its user channel, and gives it back when it ends (EBUSY).
    case lent
  }

  package var kind: Kind
  package var message: String
  package var hint: String?

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// Whether another attempt may succeed a moment later without a change by the user.
  package var isPassing: Bool {
    switch kind {
    case .missing, .noAdapter, .settingUp, .busy, .held, .lent: true
    case .noBluetooth, .notPermitted, .blocked, .linked, .classicOnly, .system: false
    }
  }
}

extension AdapterFault: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let raw = try reader.readUInt8()
    guard let kind = Kind(rawValue: raw) else { throw .invalid("adapter fault", UInt64(raw)) }
    self.init(kind, try reader.readText(), hint: try reader.readBool() ? try reader.readText() : nil)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(kind.rawValue)
    writer.put(text: message)
    writer.put(hint != nil)
    if let hint { writer.put(text: hint) }
  }
}

extension AdapterFault {
  package static let noBluetooth = AdapterFault(
    .noBluetooth, "this kernel has no Bluetooth, or this is a container with its own network",
    hint: "load it with sudo modprobe bluetooth; in a container, share the host's network (docker run --network host)")

  /// The fault for a management channel that cannot be opened.
  package init(opening failure: SystemFailure) {
    self = [EAFNOSUPPORT, EPROTONOSUPPORT].contains(failure.code) ? .noBluetooth : .system(failure)
  }

  package static let noAdapter = AdapterFault(
    .noAdapter, "there is no Bluetooth adapter in this machine",
    hint: "plug one in (lsusb and dmesg show whether the kernel has found it)")

  package static func missing(_ name: AdapterName, others: [AdapterSummary]) -> AdapterFault {
    guard !others.isEmpty else {
      return AdapterFault(.missing, "there is no adapter \(name); this machine has none", hint: noAdapter.hint)
    }
    let list = others.map { "\($0.name) (\($0.addressText))" }.joined(separator: ", ")
    return AdapterFault(.missing, "there is no adapter \(name)", hint: "there is \(list); see tooth adapters")
  }

  package static func notPermitted(_ name: String, program: String, isAdministrator: Bool) -> AdapterFault {
    if isAdministrator {
      return AdapterFault(
        .notPermitted, "the kernel does not let this container take \(name)",
        hint: "CAP_NET_ADMIN of the machine itself is needed, not only of a user namespace: run tooth outside of it")
    }
    return AdapterFault(
      .notPermitted, "taking \(name) needs the capability CAP_NET_ADMIN, which this process does not have",
      hint: "sudo setcap cap_net_admin+ep \(ShellText.word(program))\nor start it with sudo")
  }

  package static func blocked(_ summary: AdapterSummary) -> AdapterFault {
    if summary.block == .hard {
      return AdapterFault(
        .blocked, "\(summary.name) is switched off by a hardware switch (rfkill, hard)",
        hint: "use that switch or the flight mode key, then try again")
    }
    return AdapterFault(.blocked, "\(summary.name) is blocked (rfkill)", hint: "rfkill unblock bluetooth")
  }

  package static func held(_ name: String, by holders: [SocketHolder], isRoot: Bool = Privileges.isRoot) -> AdapterFault {
    let kind: Kind = !holders.isEmpty && holders.allSatisfy(\.isTooth) ? .lent : .held
    switch holders.count {
    case 0 where isRoot:
      return AdapterFault(
        kind, "\(name) is held by a program that is not visible here, perhaps because it runs in another container",
        hint: "end it there, or name another adapter")
    case 0:
      return AdapterFault(
        kind, "\(name) is held by another program; finding its name needs more privileges",
        hint: "sudo \(ShellText.word(Privileges.program)) adapters names it; end it, or name another adapter")
    case 1:
      return AdapterFault(
        kind, "\(name) is held by \(holders[0])", hint: "end it with kill \(holders[0].process), or name another adapter")
    default:
      return AdapterFault(
        kind, "\(name) is held by one of \(holders.map(\.description).joined(separator: ", "))",
        hint: "end it, or name another adapter")
    }
  }

  /// Another tooth has the adapter's lock.
  package static func lent(_ name: String, by holders: [SocketHolder]) -> AdapterFault {
    var fault = held(name, by: holders.filter(\.isTooth))
    fault.kind = .lent
    return fault
  }

  package static func settingUp(_ name: String) -> AdapterFault {
    AdapterFault(
      .settingUp, "the kernel has not finished setting \(name) up; it did not answer, or has no firmware",
      hint: "unplug it and plug it back in; dmesg | grep Bluetooth shows why")
  }

  package static func busy(_ name: String, daemon: SocketHolder?) -> AdapterFault {
    let who = daemon.map { "\($0)" } ?? "another program"
    return AdapterFault(
      .busy, "\(name) is switched on again by \(who) as soon as it is switched off",
      hint: daemon == nil ? "look for it with tooth adapters" : "sudo systemctl stop bluetooth")
  }

  package static func linked(_ name: String, _ peers: [Address]) -> AdapterFault {
    let first = peers.first.map { "\($0)" } ?? "ADDRESS"
    let list = peers.prefix(4).map { "\($0)" }.joined(separator: ", ") + (peers.count > 4 ? " and \(peers.count - 4) more" : "")
    return AdapterFault(
      .linked, "other programs are connected through \(name): to \(list)",
      hint:
        "end the link\(peers.count == 1 ? "" : "s") (bluetoothctl disconnect \(first)), or cut \(peers.count == 1 ? "it" : "them") with --take"
    )
  }

  package static func classicOnly(_ name: String) -> AdapterFault {
    AdapterFault(.classicOnly, "\(name) has no Bluetooth Low Energy", hint: "name another adapter; tooth adapters lists them")
  }

  package static func system(_ failure: SystemFailure) -> AdapterFault { AdapterFault(.system, "\(failure)") }
}
