/// Judges the facts about a machine, and suggests remedies.
package struct Doctor: Sendable {
  package let findings: [DoctorFinding]

  package init(_ facts: SystemFacts) {
    findings =
      Self.kernel(facts) + Self.switches(facts) + Self.privileges(facts) + Self.adapters(facts) + Self.daemon(facts)
      + Self.keepers(facts)
      + Self.services(facts) + [Self.checkpoints(facts.state)] + Self.bonds(facts) + Self.versions(facts)
  }

  /// 0 if all findings are good, 9 if the adapter or the path to it is bad, otherwise 11 if the
  /// checkpoints are, otherwise 1.
  package var exitCode: Int32 {
    let codes = findings.filter { !$0.isGood }.map(\.area.exitCode)
    return [9, 11, 1].first { codes.contains($0) } ?? 0
  }

  // MARK: Findings

  private static func kernel(_ facts: SystemFacts) -> [DoctorFinding] {
    guard facts.hasBluetooth else {
      return [
        .bad(
          .kernel, "Linux \(facts.kernel) has no Bluetooth, or this is a container with its own network",
          cure: "sudo modprobe bluetooth\nin a container, share the host's network (docker run --network host)")
      ]
    }
    return [.good(.kernel, "Linux \(facts.kernel) has Bluetooth")]
  }

  private static func switches(_ facts: SystemFacts) -> [DoctorFinding] {
    facts.switches.map { name, block in
      switch block {
      case .none: .good(.rfkill, "\(name) is not blocked")
      case .soft: .bad(.rfkill, "\(name) is blocked", cure: "rfkill unblock bluetooth")
      case .hard:
        .bad(.rfkill, "\(name) is switched off by a hardware switch", cure: "use that switch or the flight mode key")
      }
    }
  }

  private static func privileges(_ facts: SystemFacts) -> [DoctorFinding] {
    if facts.mayAdministerNetwork {
      return [.good(.privileges, "this process can take an adapter (CAP_NET_ADMIN)\(facts.isRoot ? ": it runs as root" : "")")]
    }
    let kept = facts.keepers.filter { $0.trouble == nil }.map(\.adapter)
    if !kept.isEmpty {
      return [.good(.privileges, "this process cannot take an adapter, and need not: \(kept.joined(separator: ", ")) has a keeper")]
    }
    if facts.isRoot {
      return [
        .bad(
          .privileges, "this process runs as root but cannot take an adapter: it is in a container",
          cure: "run tooth outside of it, or give the container CAP_NET_ADMIN of the machine itself")
      ]
    }
    return [
      .bad(
        .privileges, "this process cannot take an adapter: it does not have CAP_NET_ADMIN",
        cure: """
          sudo setcap cap_net_admin+ep \(facts.program)
          or let the machine keep it: sudo systemctl enable --now tooth-keeper@hci0.socket, and join the group tooth
          or start tooth with sudo
          """)
    ]
  }

  private static func adapters(_ facts: SystemFacts) -> [DoctorFinding] {
    guard facts.hasBluetooth else { return [] }
    guard !facts.adapters.isEmpty else {
      return [
        .bad(
          .adapter, "there is no Bluetooth adapter in this machine",
          cure: """
            plug one in; lsusb and dmesg show whether the kernel has found it
            or try a simulated one: --adapter sim:demo
            """)
      ]
    }
    return facts.adapters.map { adapter in
      var text = adapter.name
      if let address = adapter.address { text += " \(address)" }
      if let product = adapter.product { text += " (\(product))" }
      switch adapter.block {
      case .hard:
        return .bad(
          .adapter, "\(text) is switched off by a hardware switch", cure: "use that switch or the flight mode key")
      case .soft: return .bad(.adapter, "\(text) is blocked (rfkill)", cure: "rfkill unblock bluetooth")
      case .none: break
      }
      if adapter.isSettingUp {
        return .bad(
          .adapter, "\(text) is not ready: the kernel is still setting it up",
          cure: "wait a moment; dmesg shows whether its firmware is missing")
      }
      if adapter.hasLowEnergy == false {
        return .bad(.adapter, "\(text) has no Low Energy", cure: "use another one; any with Bluetooth 4.0 or later works")
      }
      if adapter.isHeld, !facts.keepers.contains(where: { $0.adapter == adapter.name && $0.trouble == nil }) {
        let holders = adapter.holders.isEmpty ? "another program" : adapter.holders.joined(separator: " or ")
        return .bad(.adapter, "\(text) is held by \(holders)", cure: "end that, or name another adapter")
      }
      if let links = adapter.links, links > 0 {
        return .bad(
          .adapter, "\(text) has \(links) link\(links == 1 ? "" : "s") of other programs, and is not taken from them",
          cure: "close them (bluetoothctl disconnect), or add --take, which cuts them")
      }
      let power = adapter.isPowered.map { $0 ? ", on" : ", off" } ?? ""
      return .good(.adapter, "\(text) can be used\(adapter.hasLowEnergy == true ? ": Low Energy" : "")\(power)")
    }
  }

  private static func daemon(_ facts: SystemFacts) -> [DoctorFinding] {
    guard let process = facts.daemon else { return [.good(.bluetoothd, "bluetoothd is not running; it is not needed")] }
    return [.good(.bluetoothd, "bluetoothd is running (process \(process)); a run borrows the adapter from it and gives it back")]
  }

  private static func keepers(_ facts: SystemFacts) -> [DoctorFinding] {
    guard !facts.keepers.isEmpty else { return [.good(.keeper, "no adapter has a keeper now; the first client starts one")] }
    return facts.keepers.map { keeper in
      if let trouble = keeper.trouble {
        return .bad(
          .keeper, "the keeper at \(keeper.socket) has a problem: \(trouble)",
          // The name of a socket is that of its adapter only for a kernel adapter.
          cure: keeper.adapter.contains("-")
            ? "end its process (ss -xlp shows it); if there is none, remove the socket"
            : "tooth keeper stop --adapter \(keeper.adapter) --force, or remove the socket if nothing listens there")
      }
      var text = "\(keeper.adapter) is kept by process \(keeper.process), tooth \(keeper.version)"
      guard keeper.isAdapterReady else {
        return .bad(.keeper, "\(text), but the adapter is not ready", cure: "see the lines above; the keeper keeps trying")
      }
      if keeper.clients.isEmpty { text += ", without clients" }
      for client in keeper.clients {
        text += ", for \(client.name) (\(client.links) link\(client.links == 1 ? "" : "s")\(client.isGone ? ", gone" : ""))"
      }
      return .good(.keeper, text)
    }
  }

  private static func services(_ facts: SystemFacts) -> [DoctorFinding] {
    guard facts.hasSystemd else { return [.good(.systemd, "this machine does not use systemd; cron can start recipes")] }
    var findings: [DoctorFinding] = [.good(.systemd, "this machine uses systemd")]
    for service in facts.services {
      let doing = service.doing.isEmpty ? "" : ": \(service.doing)"
      if ["failed", "unknown"].contains(service.state) {
        findings.append(
          .bad(
            .service, "\(service.name) is \(service.state)\(doing)",
            cure: "journalctl -u tooth-\(service.name) shows why (for a service of the user: journalctl --user-unit)"))
      } else {
        findings.append(.good(.service, "\(service.name) is \(service.state)\(doing)"))
      }
    }
    return findings
  }

  /// With less free space, in bytes, a run will soon fail.
  private static let scarce: UInt64 = 64 << 20

  private static func checkpoints(_ state: SystemFacts.State) -> DoctorFinding {
    if let trouble = state.trouble {
      return .bad(.checkpoints, trouble, cure: "choose where checkpoints are kept with --state DIR")
    }
    guard let isWritable = state.isWritable else {
      return .good(.checkpoints, "\(state.path) does not exist yet; the first run creates it")
    }
    guard isWritable else {
      return .bad(
        .checkpoints, "\(state.path) cannot be written", cure: "make this user its owner, or choose another with --state DIR")
    }
    guard state.free >= scarce else {
      return .bad(
        .checkpoints, "only \(size(state.free)) are free for \(state.path)",
        cure: "free some space, or choose another with --state DIR")
    }
    guard state.damaged.isEmpty else {
      let shown = state.damaged.prefix(5).joined(separator: ", ")
      let more = state.damaged.count > 5 ? " and \(state.damaged.count - 5) more" : ""
      return .bad(
        .checkpoints, "unreadable in \(state.path): \(shown)\(more)",
        cure: "tooth runs show \(state.damaged[0]) says why, tooth runs drop \(state.damaged[0]) deletes it")
    }
    let runs = "\(state.runs) run\(state.runs == 1 ? "" : "s")"
    return .good(.checkpoints, "\(state.path) has \(runs) in \(size(state.size)), \(size(state.free)) are free")
  }

  /// Nothing is said if nothing is paired.
  private static func bonds(_ facts: SystemFacts) -> [DoctorFinding] {
    var findings = facts.unreadableBonds.map { folder in
      DoctorFinding.bad(.bonds, folder.reason, cure: folder.cure)
    }
    findings += facts.bondTroubles.map { trouble in
      DoctorFinding.bad(
        .bonds, trouble, cure: "restore the file, or move it away and pair the device again; tooth bonds lists the others")
    }
    if facts.bonds > 0 {
      findings.insert(.good(.bonds, "\(facts.bonds) bond\(facts.bonds == 1 ? "" : "s") can be used"), at: 0)
    }
    return findings
  }

  private static func size(_ octets: UInt64) -> String {
    switch octets {
    case ..<10_000: "\(octets) bytes"
    case ..<10_000_000: "\(octets / 1000) kB"
    case ..<10_000_000_000: "\(octets / 1_000_000) MB"
    default: "\(octets / 1_000_000_000) GB"
    }
  }

  private static func versions(_ facts: SystemFacts) -> [DoctorFinding] {
    let missing = facts.versions.filter { $0.version == nil }
    let there = facts.versions.compactMap { entry in entry.version.map { "\(entry.name) \($0)" } }
    return [.good(.versions, there.joined(separator: ", "))]
      + missing.map { .bad(.versions, "\($0.name) is missing", cure: "install its package (libssl3 for libcrypto)") }
  }
}
