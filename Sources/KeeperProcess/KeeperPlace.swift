package import Linux
import Vocabulary

/// The socket of an adapter's keeper and its folder.
package struct KeeperPlace: Equatable, Sendable {
  package let folder: String
  package let name: String

  package var socket: String { "\(folder)/\(name).socket" }
  package var lock: String { "\(folder)/\(name).lock" }

  /// The folder that the whole machine shares.
  package static let shared = "/run/tooth"

  /// The folder of this user's keepers: the shared one if it can be used, else the user's own.
  package static func folder(
    environment: (String) -> String? = environment, user: UInt32 = CurrentProcess.user, shared: String = KeeperPlace.shared
  ) -> String {
    if let named = environment("TOOTH_KEEPER_DIRECTORY"), named.hasPrefix("/") { return named }
    if CurrentProcess.isUsable(shared) { return shared }
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/"), CurrentProcess.isUsable(runtime) {
      return "\(runtime)/tooth"
    }
    return "/tmp/tooth-\(user)"
  }

  /// - Parameter adapter: The name of the adapter; paths are absolute.
  ///
  /// If the machine's folder cannot be written, a keeper in it is still used if its socket admits
  /// this user.
  package init(adapter: String, folder named: String? = nil, environment: (String) -> String? = environment) {
    name = Self.fileName(of: adapter)
    if let named {
      folder = named
    } else if environment("TOOTH_KEEPER_DIRECTORY") == nil, CurrentProcess.mayWrite("\(Self.shared)/\(name).socket") {
      folder = Self.shared
    } else {
      folder = Self.folder(environment: environment)
    }
  }

  /// A keeper by the name of its files.
  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }

  private static func fileName(of adapter: String) -> String {
    var plain = ""
    var isPlain = true
    for byte in adapter.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "-"):
        plain.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        plain += "-"
        isPlain = false
      }
    }
    if isPlain, plain.utf8.count <= 32, !plain.isEmpty {
      return plain
    }
    // The hash keeps names distinct whose characters were replaced or cut off.
    let hash = FNV1a.hash(adapter.utf8)
    return "\(plain.suffix(20).drop { $0 == "-" })-\(String(hash, radix: 16))"
  }

  /// Creates the folder if it is the user's own.
  package func make() throws(SystemFailure) {
    if folder == Self.shared, CurrentProcess.isUsable(folder) { return }
    try CurrentProcess.makePrivate(folder)
  }

  /// Listens at the socket.
  package func listen() throws(SystemFailure) -> LocalListener {
    try LocalListener(at: socket, mode: folder == Self.shared ? 0o660 : 0o600)
  }

  /// Connects to the socket after checking that its keeper is ours or the machine's. A run sends it
  /// everything that it writes, and trusts its answers.
  func connect() throws(KeeperUnreachable) -> ByteStream {
    let servers: [UInt32]
    do throws(SystemFailure) {
      servers = try SocketFolder.servers(in: folder, isShared: folder == Self.shared) ?? []
    } catch {
      throw KeeperUnreachable(
        "the keeper at \(socket) is not trusted because of its folder: \(error.reason)",
        hint: "remove \(folder) or have it removed, or set XDG_RUNTIME_DIR to a folder of your own; --direct needs no keeper",
        isTemporary: false)
    }
    let stream: ByteStream
    do throws(SystemFailure) { stream = try ByteStream(connectingTo: socket) } catch {
      if error.isCrowded { throw KeeperUnreachable("too many clients are connecting to the keeper", isTemporary: true) }
      guard error.isMissing || error.isRefused else {
        throw KeeperUnreachable("the keeper at \(socket) cannot be reached: \(error.reason)", isTemporary: false)
      }
      throw KeeperUnreachable("there is no keeper at \(socket)", isTemporary: false, isAbsent: true)
    }
    guard let user = stream.peer?.user, servers.contains(user) else {
      throw KeeperUnreachable(
        "the keeper at \(socket) is not trusted: it runs as user \(stream.peer.map { "\($0.user)" } ?? "?")",
        hint: "end it, or use the adapter without a keeper, with --direct", isTemporary: false)
    }
    return stream
  }

  /// Whether there is a socket, of a keeper or left by one.
  package var hasSocket: Bool { CurrentProcess.isThere(socket) }

  /// Whether a keeper answers there. If systemd listens there, this starts a keeper for a
  /// connection that is not used. To ask a keeper something, use `hasSocket` and `KeeperLink.ask`.
  package var isServed: Bool {
    guard hasSocket else { return false }
    do throws(SystemFailure) {
      _ = try ByteStream(connectingTo: socket)
      return true
    } catch {
      return error.isCrowded
    }
  }
}
