import CBluez
import Glibc
import Vocabulary

/// A copy of this process that does a part of the work and reports the results in messages.
package final class Worker {
  private let descriptor: Int32
  private let process: pid_t

  /// - Parameter work: Runs in the copy, which then exits. It can send messages through its
  ///   argument.
  package init(_ work: ((_ message: [UInt8]) -> Void) -> Void) throws(SystemFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("starting a worker") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    process = cbluez_fork()
    guard process >= 0 else { throw SystemFailure("starting a worker") }
    if process == 0 {
      close(ends[0])
      let end = ends[1]
      work { message in
        var writer = ByteWriter()
        writer.put(UInt32(message.count))
        do throws(SystemFailure) { try writeAll(end, writer.bytes + message, named: "a pipe") } catch { _exit(1) }
      }
      _exit(0)
    }
    close(ends[1])
    descriptor = ends[0]
  }

  deinit {
    close(descriptor)
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Returns the next message; `nil` if the worker has ended.
  package func next() -> [UInt8]? {
    guard let head = take(4) else { return nil }
    return take(Int(head[0]) | Int(head[1]) << 8 | Int(head[2]) << 16 | Int(head[3]) << 24)
  }

  private func take(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var have = 0
    while have < count {
      let got = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + have }, count - have) }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      have += got
    }
    return bytes
  }
}
