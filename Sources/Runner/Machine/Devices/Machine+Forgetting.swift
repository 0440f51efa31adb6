import Exchange
import Vocabulary

/// Bounds the device table, because addresses rotate and a run that listens for months would
/// otherwise know millions of devices.
extension Machine {
  /// Forgets devices that were only heard and that no variable, fiber, event, scan, line or field
  /// of another device refers to. Runs again when the number of the rest has doubled.
  mutating func forgetUnreferencedDevices() {
    // `devices()` refers to all of them.
    guard life == .running, !isRestoring, !program.code.contains(where: { $0.code == .devices }) else {
      devices.limit = max(devices.limit, 2 * devices.known)
      return
    }
    let isNamed = namedDevices()
    let forgotten = devices.forget(devices.indices.filter { !isNamed[$0] && !devices[$0].isGone })
    var isForgotten = [Bool](repeating: false, count: devices.count)
    for index in forgotten {
      isForgotten[index] = true
      surroundings.deviceNames[index] = ""
    }
    events.forget { isForgotten.indices.contains($0) && isForgotten[$0] }
    devices.limit = max(DeviceTable.least, 2 * devices.known)
  }

  private func namedDevices() -> [Bool] {
    var named = NamedDevices(count: devices.count)
    for value in variables { named.add(value) }
    for fiber in fibers { named.add(fiber) }
    for device in events.devices { named.add(device) }
    for entry in events.drops.entries { named.add(entry.device) }
    for event in events.kept { named.add(event.device) }
    for device in runningScans.devices { named.add(device) }
    for value in output.value?.values ?? [] { named.add(value) }
    for effect in effects { if case .print(_, let line) = effect { for value in line.values { named.add(value) } } }
    for device in server.state.centrals { named.add(device) }
    for subscriber in server.state.subscribers { named.add(subscriber.device) }
    for index in devices.indices where !devices[index].isGone && !devices.isUnreferenced(index) {
      named.add(index)
      // A device that was only heard has no fields, so one pass over the devices is enough.
      for field in devices[index].fields.fields { named.add(field.value) }
      for item in devices[index].setUp { for value in item.locals { named.add(value) } }
    }
    return named.isNamed
  }
}

/// Collects the devices that values refer to. The switches are exhaustive, so that a new kind of
/// value, wait or role must be considered here.
private struct NamedDevices {
  private(set) var isNamed: [Bool]

  init(count: Int) { isNamed = Array(repeating: false, count: count) }

  mutating func add(_ index: Int) { if isNamed.indices.contains(index) { isNamed[index] = true } }

  mutating func add(_ value: Value) {
    switch value {
    case .nothing, .bool, .int, .real, .text, .bytes, .duration, .time, .address, .unset, .subject, .uuid: break
    case .device(let index): add(index)
    case .attribute(let attribute): add(attribute.device)
    case .secret(let secret): add(secret.value)
    case .list(let list): for element in list { add(element) }
    case .record(let record): for field in record.fields { add(field.value) }
    case .problem(let problem):
      if let device = problem.device { add(device) }
      for field in problem.extra.fields { add(field.value) }
    }
  }

  mutating func add(_ fiber: Fiber) {
    for value in fiber.slots { add(value) }
    if let taken = fiber.taken { add(taken.device) }
    for frame in fiber.frames {
      for handler in frame.handlers { if let device = handler.device { add(device) } }
      for attempt in frame.tries {
        add(attempt.device)
        if let it = attempt.rescued { add(it) }
      }
    }
    switch fiber.role {
    case .handler(_, let device), .connect(_, let device), .setUp(let device, _), .whenever(_, let device): add(device)
    case .body, .timer, .restore, .stop, .failure, .branch: break
    }
    switch fiber.wait {
    case .none, .span, .forever, .until, .event, .retry, .file, .published, .asked, .command, .prompt: break
    case .scan(let scan): for entry in scan.found { add(entry.device) }
    case .link(let device, _), .closing(let device), .forgetting(let device, _): add(device)
    case .reconnect(_, let devices): for device in devices { add(device) }
    case .operation(let operation): add(operation.device)
    case .branches(let branches): for failed in branches.failed { add(.problem(failed.problem)) }
    }
  }
}
