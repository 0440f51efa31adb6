extension Program {
  /// Whether it calls `env`.
  package var readsEnvironment: Bool { calls.contains { $0.builtIn == .function(.env) } }

  /// Whether it needs a host and so an adapter.
  package var needsHost: Bool {
    code.contains { $0.code.needsHost || $0.code == .waitEvent && eventWaits[Int($0.a)].event != .line }
      || handlers.contains { $0.trigger.needsHost }
  }

  /// Whether it needs reports of changed services.
  package var watchesServices: Bool {
    (handlerEvents + eventWaits.map(\.event)).contains { if case .services = $0 { true } else { false } }
  }

  /// Whether it reads lines of stdin.
  package var readsLines: Bool { handlerEvents.contains(.line) || eventWaits.contains { $0.event == .line } }

  /// Whether it asks questions on the terminal.
  package var asks: Bool { code.contains { $0.code == .ask } }

  private var handlers: [HandlerSite] {
    units.compactMap { unit in if case .handler(let site) = unit.role { site } else { nil } }
  }

  private var handlerEvents: [EventSite] {
    handlers.compactMap { site in if case .event(let event) = site.trigger { event } else { nil } }
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
