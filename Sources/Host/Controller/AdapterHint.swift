/// What a user can do about a controller that misbehaves.
package enum AdapterHint {
  /// For a controller of the kernel, which has a driver and a switch but no H4 stream.
  package static let kernel =
    "unplug it and plug it back in; for a built-in adapter: rfkill block bluetooth, then rfkill unblock bluetooth\n"
    + "otherwise reload its driver or restart the machine; dmesg | grep -i bluetooth shows what the kernel reports"

  package static let stream =
    "is it a controller that speaks H4? (a serial port: at this speed, with RTS and CTS connected) If so, unplug it and plug it back in"
}
