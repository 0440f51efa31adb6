/// What `tooth doctor` has found out about this machine. Nothing in it is judged.
package struct SystemFacts: Sendable {
  package enum Block: Equatable, Sendable { case none, soft, hard }

  /// A controller of the kernel.
  package struct Adapter: Equatable, Sendable {
    package var name: String
    package var address: String?
    /// What it is, for people.
    package var product: String?
    package var block = Block.none
    /// On, by the kernel's management; nothing when that does not know it.
    package var isPowered: Bool?
    /// Whether it has Low Energy; nothing when that is not known.
    package var hasLowEnergy: Bool?
    /// Programs that may have it for themselves.
    package var holders: [String] = []
    /// Whether some program has it for itself.
    package var isHeld = false
    /// The kernel is still setting it up, or could not.
    package var isSettingUp = false
    /// Links that the kernel has on it; nothing when it does not tell.
    package var links: Int?

    package init(name: String) { self.name = name }
  }

  package struct Keeper: Equatable, Sendable {
    package struct Client: Equatable, Sendable {
      package var name: String
      package var links: Int
      /// It is gone, and what it left is held.
      package var isGone: Bool

      package init(name: String, links: Int, isGone: Bool) {
        self.name = name
        self.links = links
        self.isGone = isGone
      }
    }

    package var adapter: String
    package var socket: String
    /// Why it does not answer.
    package var trouble: String?
    package var process: UInt32
    package var version: String
    package var isAdapterReady: Bool
    package var clients: [Client]

    package init(
      adapter: String, socket: String, trouble: String? = nil, process: UInt32 = 0, version: String = "",
      isAdapterReady: Bool = true, clients: [Client] = []
    ) {
      self.adapter = adapter
      self.socket = socket
      self.trouble = trouble
      self.process = process
      self.version = version
      self.isAdapterReady = isAdapterReady
      self.clients = clients
    }
  }

  package struct Service: Equatable, Sendable {
    package var name: String
    /// `active`, `failed` …
    package var state: String
    package var doing: String

    package init(name: String, state: String, doing: String = "") {
      self.name = name
      self.state = state
      self.doing = doing
    }
  }

  package struct State: Equatable, Sendable {
    package var path: String
    /// Nothing when it is not there yet.
    package var isWritable: Bool?
    /// Why there is no place at all.
    package var trouble: String?
    package var free: UInt64
    package var size: UInt64
    package var runs: Int
    package var damaged: [String]

    package init(
      path: String, isWritable: Bool? = nil, trouble: String? = nil, free: UInt64 = 0, size: UInt64 = 0, runs: Int = 0,
      damaged: [String] = []
    ) {
      self.path = path
      self.isWritable = isWritable
      self.trouble = trouble
      self.free = free
      self.size = size
      self.runs = runs
      self.damaged = damaged
    }
  }

  /// `6.1.0-18-amd64`.
  package var kernel: String
  /// Whether it knows AF_BLUETOOTH, here.
  package var hasBluetooth: Bool
  /// Bluetooth switches of the machine, by name.
  package var switches: [(name: String, block: Block)]
  package var program: String
  package var isRoot: Bool
  package var mayAdministerNetwork: Bool
  /// The process of bluetoothd.
  package var daemon: Int32?
  package var adapters: [Adapter]
  package var keepers: [Keeper]
  /// systemd runs this machine.
  package var hasSystemd: Bool
  package var services: [Service]
  package var state: State
  /// tooth, SQLite, libcrypto, systemd.
  package var versions: [(name: String, version: String?)]

  package init(kernel: String, program: String, state: State) {
    self.kernel = kernel
    self.program = program
    self.state = state
    hasBluetooth = true
    switches = []
    isRoot = false
    mayAdministerNetwork = true
    adapters = []
    keepers = []
    hasSystemd = true
    services = []
    versions = []
  }
}
