import Exchange
import Vocabulary

extension Machine {
  /// Registers a secret input. A checkpoint contains only its name.
  mutating func keepSecret(_ value: Value, _ name: String) -> Value {
    let kept = value.named(name)
    switch kept {
    case .secret(let secret): secrets.append(secret)
    case .list(let list): for case .secret(let secret) in list { secrets.append(secret) }
    default: break
    }
    return kept
  }

  /// Restores secrets of a checkpoint: those of inputs get their values again, the others have no
  /// value any more.
  mutating func settleSecrets() {
    for index in fibers.indices {
      for frame in fibers[index].frames.indices {
        let start = fibers[index].frames[frame].base
        let end = frame + 1 < fibers[index].frames.count ? fibers[index].frames[frame + 1].base : fibers[index].slots.count
        let keys = program.units[fibers[index].frames[frame].unit].localKeys
        for slot in start..<max(start, end) where fibers[index].slots[slot].holdsSecret {
          var holder: String?
          if keys.indices.contains(slot - start), case .named(let name) = keys[slot - start] { holder = name }
          fibers[index].slots[slot] = fibers[index].slots[slot].settled(secrets, holder: holder)
        }
        for attempt in fibers[index].frames[frame].tries.indices {
          let it = fibers[index].frames[frame].tries[attempt].rescued
          fibers[index].frames[frame].tries[attempt].rescued = it?.settled(secrets, holder: nil)
        }
      }
    }
    for index in devices.indices where Value.record(devices[index].fields).holdsSecret {
      for field in devices[index].fields.fields.indices {
        let name = "device.\(devices[index].fields.fields[field].key)"
        devices[index].fields.fields[field].value = devices[index].fields.fields[field].value.settled(secrets, holder: name)
      }
    }
  }
}

extension Value {
  /// The value of a secret input, with its name.
  func named(_ name: String) -> Value {
    switch self {
    case .list(let list):
      return .list(
        list.enumerated().map { place, value in
          value.isSecret ? value : .secret(Secret(value, name: "\(name)[\(place)]"))
        })
    case .secret: return self
    default: return .secret(Secret(self, name: name))
    }
  }

  /// The value as restored from a checkpoint, where secrets have a name or nothing.
  func settled(_ secrets: [Secret], holder: String?) -> Value {
    guard holdsSecret else { return self }
    let settled = try? mapped { secret in
      if let known = secrets.first(where: { $0.name == secret.name && secret.name != nil }) { return .secret(known) }
      return .secret(Secret(.unset, name: secret.name, holder: holder))
    }
    return settled ?? self
  }
}

extension Fiber {
  /// The fiber as it may be saved. Values encode themselves without secrets, and a write of a
  /// secret is computed again after a kill.
  var withoutSecrets: Fiber {
    guard case .operation(var operation) = wait, operation.isSecret else { return self }
    switch operation.request {
    case .write(let path, _): operation.request = .write(path, [])
    case .writeWithoutResponse(let path, _): operation.request = .writeWithoutResponse(path, [])
    default: return self
    }
    var copy = self
    copy.wait = .operation(operation)
    return copy
  }
}
