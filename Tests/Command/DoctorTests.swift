import Testing
import tooth

/// What `tooth doctor` says about a described machine.
@Suite struct DoctorTests {
  /// A machine without problems.
  static var well: SystemFacts {
    var state = SystemFacts.State(path: "/home/ada/.local/state/tooth", isWritable: true)
    (state.free, state.size, state.runs) = (52_000_000_000, 245_760, 3)
    var facts = SystemFacts(kernel: "6.1.0-18-amd64", program: "/usr/local/bin/tooth", state: state)
    facts.switches = [("hci0", .none)]
    var adapter = SystemFacts.Adapter(name: "hci0")
    adapter.address = "C4:7C:8D:6A:12:0F"
    adapter.product = "Example BT 5.0"
    adapter.isPowered = true
    adapter.hasLowEnergy = true
    adapter.links = 0
    facts.adapters = [adapter]
    facts.daemon = 412
    facts.keepers = [
      SystemFacts.Keeper(
        adapter: "hci0", socket: "/run/tooth/hci0.socket", process: 900, version: "0.1.0",
        clients: [
          SystemFacts.Keeper.Client(name: "heart-rate", links: 1, isGone: false),
          SystemFacts.Keeper.Client(name: "valve", links: 2, isGone: true),
        ])
    ]
    facts.services = [SystemFacts.Service(name: "heart-rate", state: "active", doing: "line 14: reconnect forever")]
    facts.bonds = 2
    facts.versions = [("tooth", "0.1.0"), ("SQLite", "3.40.1"), ("libcrypto", "3.0.15"), ("systemd", "252")]
    return facts
  }

  @Test func reportsAHealthyMachine() {
    let doctor = Doctor(Self.well)
    #expect(doctor.exitCode == 0)
    #expect(
      doctor.text == """
        good  kernel       Linux 6.1.0-18-amd64 has Bluetooth
        good  rfkill       hci0 is not blocked
        good  privileges   this process can take an adapter (CAP_NET_ADMIN)
        good  adapter      hci0 C4:7C:8D:6A:12:0F (Example BT 5.0) can be used: Low Energy, on
        good  bluetoothd   bluetoothd is running (process 412); a run borrows the adapter from it and gives it back
        good  keeper       hci0 is kept by process 900, tooth 0.1.0, for heart-rate (1 link), for valve (2 links, gone)
        good  systemd      this machine uses systemd
        good  service      heart-rate is active: line 14: reconnect forever
        good  checkpoints  /home/ada/.local/state/tooth has 3 runs in 245 kB, 52 GB are free
        good  bonds        2 bonds can be used
        good  versions     tooth 0.1.0, SQLite 3.40.1, libcrypto 3.0.15, systemd 252

        """)
  }

  @Test func reportsBondsThatCannotBeUsed() {
    var facts = Self.well
    facts.bondTroubles = ["/s/bonds/a/b is damaged: this bond cannot be used"]
    let doctor = Doctor(facts)
    #expect(doctor.exitCode == 1 && doctor.text.contains("BAD   bonds        /s/bonds/a/b is damaged"), "\(doctor.text)")
    var closed = Self.well
    closed.unreadableBonds = [("reading /s/bonds: Permission denied", "give this user sole access to it (chown, chmod)")]
    #expect(Doctor(closed).text.contains("reading /s/bonds: Permission denied\n"), "\(Doctor(closed).text)")
    #expect(Doctor(closed).text.contains("give this user sole access to it"))
  }

  @Test func reportsEveryProblemOfAMachine() {
    var facts = Self.well
    facts.switches = [("hci0", .soft), ("tpacpi_bluetooth_sw", .hard)]
    facts.mayAdministerNetwork = false
    var blocked = SystemFacts.Adapter(name: "hci0")
    blocked.block = .soft
    var held = SystemFacts.Adapter(name: "hci1")
    (held.isHeld, held.holders) = (true, ["btproxy (process 77)"])
    var linked = SystemFacts.Adapter(name: "hci2")
    linked.links = 1
    var classic = SystemFacts.Adapter(name: "hci3")
    classic.hasLowEnergy = false
    facts.adapters = [blocked, held, linked, classic]
    facts.daemon = nil
    facts.keepers = [SystemFacts.Keeper(adapter: "hci0", socket: "/run/tooth/hci0.socket", trouble: "Connection refused")]
    facts.services = [SystemFacts.Service(name: "valve", state: "failed")]
    facts.state = SystemFacts.State(path: "/s", isWritable: true, free: 1 << 40, size: 1, runs: 1, damaged: ["a1", "b2"])
    facts.versions = [("tooth", "0.1.0"), ("libcrypto", nil)]
    let doctor = Doctor(facts)
    #expect(doctor.exitCode == 9)
    #expect(
      doctor.text == """
        good  kernel       Linux 6.1.0-18-amd64 has Bluetooth
        BAD   rfkill       hci0 is blocked
                           = fix: rfkill unblock bluetooth
        BAD   rfkill       tpacpi_bluetooth_sw is switched off by a hardware switch
                           = fix: use that switch or the flight mode key
        BAD   privileges   this process cannot take an adapter: it does not have CAP_NET_ADMIN
                           = fix: sudo setcap cap_net_admin+ep /usr/local/bin/tooth
                                  or let the machine keep it: sudo systemctl enable --now tooth-keeper@hci0.socket, and join the group tooth
                                  or start tooth with sudo
        BAD   adapter      hci0 is blocked (rfkill)
                           = fix: rfkill unblock bluetooth
        BAD   adapter      hci1 is held by btproxy (process 77)
                           = fix: end that, or name another adapter
        BAD   adapter      hci2 has 1 link of other programs, and is not taken from them
                           = fix: close them (bluetoothctl disconnect), or add --take, which cuts them
        BAD   adapter      hci3 has no Low Energy
                           = fix: use another one; any with Bluetooth 4.0 or later works
        good  bluetoothd   bluetoothd is not running; it is not needed
        BAD   keeper       the keeper at /run/tooth/hci0.socket has a problem: Connection refused
                           = fix: tooth keeper stop --adapter hci0 --force, or remove the socket if nothing listens there
        good  systemd      this machine uses systemd
        BAD   service      valve is failed
                           = fix: journalctl -u tooth-valve shows why (for a service of the user: journalctl --user-unit)
        BAD   checkpoints  unreadable in /s: a1, b2
                           = fix: tooth runs show a1 says why, tooth runs drop a1 deletes it
        good  bonds        2 bonds can be used
        good  versions     tooth 0.1.0
        BAD   versions     libcrypto is missing
                           = fix: install its package (libssl3 for libcrypto)

        """)
    #expect(doctor.json.contains(#"{"area":"rfkill","good":false,"text":"hci0 is blocked","cure":"rfkill unblock bluetooth"}"#))
    #expect(doctor.json.split(separator: "\n").count == doctor.findings.count)
  }

  @Test func theExitCodeNamesTheKindOfProblem() {
    func code(_ change: (inout SystemFacts) -> Void) -> Int32 {
      var facts = Self.well
      change(&facts)
      return Doctor(facts).exitCode
    }
    #expect(code { $0.hasBluetooth = false } == 9)
    #expect(code { $0.adapters = [] } == 9)
    #expect(code { $0.adapters[0].isSettingUp = true } == 9)
    #expect(code { $0.keepers[0].isAdapterReady = false } == 9)
    #expect(code { ($0.mayAdministerNetwork, $0.isRoot, $0.keepers) = (false, true, []) } == 9)
    #expect(code { $0.state.isWritable = false } == 11)
    #expect(code { $0.state.free = 1000 } == 11)
    #expect(code { $0.state.trouble = "HOME is not set" } == 11)
    #expect(code { ($0.state.isWritable, $0.services[0].state) = (false, "failed") } == 11)
    #expect(code { $0.services[0].state = "failed" } == 1)
    #expect(code { $0.versions = [("libcrypto", nil)] } == 1)
    // Unusual is not wrong.
    #expect(code { $0.state.isWritable = nil } == 0)
    #expect(code { ($0.hasSystemd, $0.services) = (false, []) } == 0)
    #expect(code { ($0.daemon, $0.keepers) = (nil, []) } == 0)
    // With a keeper no privileges are needed, and the keeper owns the adapter.
    #expect(code { $0.mayAdministerNetwork = false } == 0)
    #expect(code { $0.adapters[0].isHeld = true } == 0)
  }

  @Test func withoutBluetoothNoAdapterIsReported() {
    var facts = Self.well
    facts.hasBluetooth = false
    facts.adapters = []
    let doctor = Doctor(facts)
    #expect(!doctor.findings.contains { $0.area == .adapter })
    #expect(doctor.text.contains("BAD   kernel       Linux 6.1.0-18-amd64 has no Bluetooth"))
    #expect(doctor.csv.hasPrefix("kernel,bad,"))
  }
}
