import Glibc
import Host
package import Linux
import Packets
package import Vocabulary

/// A btsnoop file of a running program. It is written in batches of whole records, with keys
/// blanked out.
package final class Capture {
  private let descriptor: Int32
  private let path: String
  private var waiting: [UInt8]
  private var redaction = PacketRedaction()
  package private(set) var failure: SystemFailure?

  package init(path: String) throws(SystemFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("writing \(path)") }
    waiting = BtsnoopHeader().encoded
  }

  deinit {
    flush()
    close(descriptor)
  }

  /// - Parameter hiddenFrom: The index of the octet at which a secret in the packet starts.
  package func record(_ packet: [UInt8], isSent: Bool, at now: WallTime, hiddenFrom: Int? = nil) {
    guard failure == nil else { return }
    var writer = ByteWriter()
    let shown = redaction.redacted(packet, isSent: isSent, hiddenFrom: hiddenFrom)
    BtsnoopRecord(isSent: isSent, time: now, bytes: shown).write(to: &writer)
    waiting.append(contentsOf: writer.bytes)
    if waiting.count > 65536 { flush() }
  }

  /// Writes the pending records. Called when there is nothing else to do.
  package func flush() {
    guard !waiting.isEmpty, failure == nil else { return }
    do throws(SystemFailure) {
      try writeAll(descriptor, waiting, named: path)
    } catch {
      failure = error
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
