import Glibc
import Linux

extension AdapterOpener {
  /// What to do when a controller's stream cannot be opened.
  static func hint(_ failure: SystemFailure, _ address: H4Address) -> String {
    guard case .serial(let device, let baud) = address else {
      return "is a controller listening there? A simulated one: tooth air FILE.ble --listen \(address)"
    }
    switch failure.code {
    case ENOENT, ENODEV, ENXIO:
      let present = SerialPort.present()
      return present.isEmpty
        ? "is it plugged in? There is no serial port here (ls /dev/tty*)"
        : "is it plugged in? There are: \(present.joined(separator: ", "))"
    case EACCES, EPERM:
      if let group = SerialPort.group(of: device) {
        return "become a member of its group, then log in again: sudo usermod -aG \(group) $USER"
      }
      return "let this user read and write it: sudo setfacl -m u:$USER:rw \(device)"
    case EBUSY: return "another program has it open; which one says: sudo fuser -v \(device)"
    case ENOTTY: return "\(device) is no serial port; one is named like serial:/dev/ttyACM0@\(baud)"
    case EINVAL: return "speeds are \(SerialPort.speeds.map { "\($0)" }.joined(separator: ", ")), as far as the port can do them"
    case EIO: return "the port exists, but no hardware is behind it"
    default: return "can it be used otherwise? stty -F \(device)"
    }
  }
}
