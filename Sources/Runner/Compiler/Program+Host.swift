extension Program {
  /// Whether it calls `env`.
  package var readsEnvironment: Bool { calls.contains { $0.builtIn == .function(.env) } }

  /// Whether any instruction asks something of a host: a program without one needs no adapter.
  package var needsHost: Bool {
    code.contains { $0.code.needsHost || $0.code == .waitEvent && eventWaits[Int($0.a)].event != .line }
      || handlerEvents.contains(.adapter)
  }

  /// Whether lines of stdin are for it.
  package var readsLines: Bool { handlerEvents.contains(.line) || eventWaits.contains { $0.event == .line } }

  /// Whether it asks questions at the terminal.
  package var asks: Bool { code.contains { $0.code == .ask } }

  private var handlerEvents: [EventSite] {
    units.compactMap { unit in
      if case .handler(let site) = unit.role, case .event(let event) = site.trigger { event } else { nil }
    }
  }
}

extension OpCode {
  fileprivate var needsHost: Bool {
    switch self {
    case .ready, .scan, .connect, .reconnect, .disconnect, .discover, .pair, .forget, .request, .read, .write, .subscribe,
      .unsubscribe,
      .publish,
      .update, .answer, .refuse, .advertise, .stopAdvertising, .serve, .stopServing:
      true
    default: false
    }
  }
}
