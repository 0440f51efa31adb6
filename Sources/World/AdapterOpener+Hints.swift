import Glibc
import Linux

extension AdapterOpener {
  /// The advice if the stream of a controller cannot be opened.
  static func hint(_ failure: SystemFailure, _ address: H4Address) -> String {
    let listening = "is a controller listening there? A simulated one: tooth air FILE.ble --listen \(address)"
    let device: String
    let baud: UInt32
    switch address {
    case .serial(let name, let speed): (device, baud) = (name, speed)
    case .unix(let path):
      var status = stat()
      guard stat(path, &status) == 0 else { return listening }
      if status.st_mode & S_IFMT != S_IFSOCK { return "\(path) is not a socket but \(kind(status.st_mode))" }
      return failure.isDenied ? "let this user write it: sudo setfacl -m u:$USER:rw \(path)" : listening
    // ENOENT: the name was not found.
    case .tcp: return failure.isMissing ? "is the host's name right? An address works as well: tcp:127.0.0.1:9000" : listening
    }
    switch failure.code {
    case ENOENT where isThere(device.lastIndex(of: "@").map { String(device[..<$0]) }):
      return "a speed is a number: serial:/dev/ttyACM0@115200"
    case ENOENT, ENODEV, ENXIO:
      let present = SerialPort.present()
      return present.isEmpty
        ? "is it plugged in? There is no serial port here (ls /dev/tty*)"
        : "is it plugged in? The serial ports are: \(present.joined(separator: ", "))"
    case EACCES, EPERM:
      if let group = SerialPort.group(of: device) {
        return "join its group, then log in again: sudo usermod -aG \(group) $USER"
      }
      return "let this user read and write it: sudo setfacl -m u:$USER:rw \(device)"
    case EBUSY: return "another program has it open; sudo fuser -v \(device) shows which one"
    case ENOTTY, EISDIR: return "\(device) is not a serial port; a name looks like serial:/dev/ttyACM0@\(baud)"
    case EINVAL: return "speeds are \(SerialPort.speeds.map { "\($0)" }.joined(separator: ", ")), as far as the port supports them"
    case EIO: return "the port exists, but no hardware is connected to it"
    default: return "does it work at all? Try stty -F \(device)"
    }
  }

  private static func isThere(_ path: String?) -> Bool { path.map { access($0, F_OK) == 0 } ?? false }

  private static func kind(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFREG: "a file"
    case S_IFCHR: "a device: a serial port is named serial:/dev/ttyACM0@1000000"
    default: "something else"
    }
  }
}
