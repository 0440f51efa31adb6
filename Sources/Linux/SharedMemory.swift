import CBluez
import Glibc

/// Memory that outlives its process while a descriptor of it is open. A plain store in it survives
/// SIGKILL and needs no system call.
package final class SharedMemory {
  package let descriptor: Int32
  package let bytes: UnsafeMutableRawBufferPointer

  /// - Parameter size: The fixed size; the memory can neither shrink nor grow.
  package init(name: String, size: Int) throws(SystemFailure) {
    descriptor = cbluez_memory(name, size)
    guard descriptor >= 0 else { throw SystemFailure("making shared memory") }
    bytes = try Self.mapped(descriptor)
  }

  /// Adopts the memory of an earlier process.
  package init(adopting descriptor: Int32) throws(SystemFailure) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    bytes = try Self.mapped(descriptor)
  }

  /// The same memory with another descriptor of this process.
  package convenience init(duplicating descriptor: Int32) throws(SystemFailure) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    guard copy >= 0 else { throw SystemFailure("mapping shared memory") }
    try self.init(adopting: copy)
  }

  private static func mapped(_ descriptor: Int32) throws(SystemFailure) -> UnsafeMutableRawBufferPointer {
    var size = 0
    guard let start = cbluez_map(descriptor, &size) else {
      let failure = SystemFailure("mapping shared memory")
      close(descriptor)
      throw failure
    }
    return UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  deinit {
    if let start = bytes.baseAddress { cbluez_unmap(start, bytes.count) }
    close(descriptor)
  }

  /// Whether a descriptor is memory of this kind.
  package static func isMemory(_ descriptor: Int32) -> Bool { cbluez_is_memory(descriptor) == 1 }

  /// Stores a value that is not visible before all earlier stores.
  package static func store(_ value: UInt64, at place: UnsafeMutableRawPointer) { cbluez_store(place, value) }
  package static func load(_ place: UnsafeRawPointer) -> UInt64 { cbluez_load(place) }
}
