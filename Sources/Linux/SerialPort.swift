import CBluez
import Glibc

/// Serial ports for H4: raw, 8N1, RTS/CTS flow control, exclusive.
package enum SerialPort {
  /// Every supported speed in baud, ascending.
  package static var speeds: [UInt32] {
    var list: [UInt32] = []
    while case let speed = cbluez_speed(list.count), speed > 0 { list.append(speed) }
    return list
  }

  /// Opens a port in nonblocking mode.
  static func open(_ device: String, baud: UInt32) throws(SystemFailure) -> Int32 {
    let descriptor = Glibc.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("opening \(device)") }
    var failure: SystemFailure?
    if isatty(descriptor) == 0 {
      failure = SystemFailure("opening \(device)", code: ENOTTY)
    } else if cbluez_exclusive(descriptor) != 0 {
      failure = SystemFailure("opening \(device)", code: errno == EWOULDBLOCK ? EBUSY : errno)
    } else if cbluez_serial(descriptor, baud) != 0 {
      failure = SystemFailure("setting \(device) to \(baud) baud")
    }
    guard let failure else { return descriptor }
    close(descriptor)
    throw failure
  }

  /// Closing waits for pending output, so drop it first.
  static func close(_ descriptor: Int32) {
    cbluez_serial_drop(descriptor)
    Glibc.close(descriptor)
  }

  /// The group whose members may open the device; `nil` if only root may.
  package static func group(of device: String) -> String? {
    var status = stat()
    guard stat(device, &status) == 0, status.st_gid != 0, status.st_mode & S_IRGRP != 0, status.st_mode & S_IWGRP != 0,
      let entry = getgrgid(status.st_gid)
    else { return nil }
    return String(cString: entry.pointee.gr_name)
  }

  /// The connected ports, by their stable names.
  package static func present() -> [String] {
    var list: [String] = []
    for (folder, prefixes) in [("/dev/serial/by-id", [""]), ("/dev", ["ttyACM", "ttyUSB", "ttyAMA", "serial"])] where list.isEmpty {
      guard let directory = opendir(folder) else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != "..", name != "serial", prefixes.contains(where: { name.hasPrefix($0) }) {
          list.append("\(folder)/\(name)")
        }
      }
    }
    return list.sorted()
  }
}
