/// The facts about this machine that `tooth doctor` has gathered, without judgement.
package struct SystemFacts: Sendable {
  package enum Block: Equatable, Sendable { case none, soft, hard }

  /// A controller known to the kernel.
  package struct Adapter: Equatable, Sendable {
    package var name: String
    package var address: String?
    /// A product name for people.
    package var product: String?
    package var block = Block.none
    /// Whether it is powered, according to the kernel; `nil` if unknown.
    package var isPowered: Bool?
    /// Whether it supports Low Energy; `nil` if unknown.
    package var hasLowEnergy: Bool?
    /// Programs that may have exclusive use of it.
    package var holders: [String] = []
    /// Whether some program has exclusive use of it.
    package var isHeld = false
    /// Whether its initialisation by the kernel is incomplete or has failed.
    package var isSettingUp = false
    /// The number of the kernel's links on it; `nil` if unknown.
    package var links: Int?

    package init(name: String) { self.name = name }
  }

  package struct Keeper: Equatable, Sendable {
    package struct Client: Equatable, Sendable {
      package var name: String
      package var links: Int
      /// Whether the client is disconnected and its links are held.
      package var isGone: Bool

      package init(name: String, links: Int, isGone: Bool) {
        self.name = name
        self.links = links
        self.isGone = isGone
      }
    }

    package var adapter: String
    package var socket: String
    /// The reason why it does not answer.
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
    /// `nil` if it does not exist yet.
    package var isWritable: Bool?
    /// The reason why there is no state directory.
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
  /// Whether AF_BLUETOOTH is available here.
  package var hasBluetooth: Bool
  /// Bluetooth rfkill switches, by name.
  package var switches: [(name: String, block: Block)]
  package var program: String
  package var isRoot: Bool
  package var mayAdministerNetwork: Bool
  /// The process of bluetoothd.
  package var daemon: Int32?
  package var adapters: [Adapter]
  package var keepers: [Keeper]
  /// Whether systemd runs this machine.
  package var hasSystemd: Bool
  package var services: [Service]
  package var state: State
  /// The number of bonds that can be used.
  package var bonds = 0
  /// What is wrong with the files of others.
  package var bondTroubles: [String] = []
  /// Folders of bonds that cannot be read, with the reasons.
  package var unreadableBonds: [(reason: String, cure: String)] = []
  /// Versions of tooth, SQLite, libcrypto and systemd.
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
