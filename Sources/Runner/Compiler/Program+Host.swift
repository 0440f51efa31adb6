extension Program {
  /// Whether it calls `env`.
  package var readsEnvironment: Bool { calls.contains { $0.builtIn == .function(.env) } }

  /// Whether any instruction asks something of a host: a program without one needs no adapter.
  package var needsHost: Bool { code.contains(where: \.code.needsHost) }
}

extension OpCode {
  fileprivate var needsHost: Bool {
    switch self {
    case .ready, .scan, .connect, .reconnect, .disconnect, .discover, .read, .write, .subscribe, .unsubscribe, .waitEvent, .publish,
      .update, .answer, .refuse, .advertise, .stopAdvertising:
      true
    default: false
    }
  }
}
