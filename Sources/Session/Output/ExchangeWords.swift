import Exchange
import Vocabulary

/// The exchanges on a link in words, for `--verbose`: `ATT read battery_level → 61`.
///
/// Received values are shown in hex. Of sent ones only the length is, because they may be secrets.
struct ExchangeWords {
  /// The requests without an answer.
  private var asked: [(id: OperationID, text: String, isHidden: Bool)] = []

  mutating func note(_ request: HostRequest) {
    switch request.command {
    case .connect(let connect): ask(request.id, "connect to \(connect.peer.withKind)")
    case .disconnect(let peer): ask(request.id, "disconnect from \(peer.withKind)")
    case .gatt(_, .hidden(let operation)): ask(request.id, Self.words(operation), isHidden: true)
    case .gatt(_, let operation): ask(request.id, Self.words(operation))
    case .forgetBond(let peer): ask(request.id, "forget \(peer.withKind)")
    case .advertise: ask(request.id, "advertise")
    case .publishValue(_, let value, let kind, _): ask(request.id, "ATT \(Self.word(kind)) \(Self.length(value))")
    case .cancel(let id): asked.removeAll { $0.id == id }
    case .scan, .acknowledge, .publish, .stopAdvertising, .update, .answer, .answerPairing, .offerOutOfBand: break
    }
  }

  /// Returns a line about an event; `nil` if it needs none.
  mutating func line(_ event: HostEvent) -> String? {
    switch event {
    case .completed(let id, let result):
      guard let index = asked.firstIndex(where: { $0.id == id }) else { return nil }
      let request = asked.remove(at: index)
      if request.isHidden, case .success(.value) = result { return "\(request.text) → •••" }
      return "\(request.text) → \(Self.words(result))"
    case .connected(let id, let peer, let info):
      asked.removeAll { $0.id == id }
      return "linked with \(peer.withKind), every \(info.interval), MTU \(info.mtu)"
    case .disconnected(let peer, let reason): return "no longer linked with \(peer.withKind): \(reason.text)"
    case .notificationReceived(_, let reference, let value, let kind):
      return "ATT \(Self.word(kind)) \(Self.name(reference)) → \(Self.hex(value))"
    case .centralConnected(let peer, let info): return "linked as a peripheral with \(peer.withKind), MTU \(info.mtu)"
    case .centralDisconnected(let peer, let reason): return "no longer linked with \(peer.withKind): \(reason.text)"
    case .adapterReady(let info): return "the adapter is ready: \(info.address.withKind)"
    default: return nil
    }
  }

  private mutating func ask(_ id: OperationID, _ text: String, isHidden: Bool = false) { asked.append((id, text, isHidden)) }

  private static func words(_ operation: GattRequest) -> String {
    switch operation {
    case .discover(let services):
      "ATT discover "
        + (services.isEmpty
          ? "everything" : services.map { AssignedNumbers.name(ofService: $0) ?? "\($0)" }.joined(separator: ", "))
    case .read(let path): "ATT read \(path.text)"
    case .write(let path, let value): "ATT write \(path.text), \(length(value))"
    case .writeWithoutResponse(let path, let value): "ATT write \(path.text) without response, \(length(value))"
    case .subscribe(let path): "ATT subscribe \(path.text)"
    case .unsubscribe(let path): "ATT unsubscribe \(path.text)"
    case .locate(let path): "ATT find \(path.text)"
    case .hidden(let operation): words(operation)
    case .readRSSI: "read rssi"
    case .pair: "pair"
    case .adjust(.phy(let phy)): "request phy \(phy.name)"
    case .adjust(.interval): "request interval"
    }
  }

  private static func words(_ result: Result<Outcome, Failure>) -> String {
    switch result {
    case .success(.done): "done"
    case .success(.value(let value, _)): hex(value)
    case .success(.subscribed(_, let kind)): word(kind)
    case .success(.rssi(let dBm)): "\(dBm) dBm"
    case .success(.outOfBand): "out-of-band data"
    case .success(.paired(let level)): level.isAuthenticated ? "encrypted and authenticated" : "encrypted"
    case .failure(let failure): "\(failure.kind.word): \(failure.message)"
    }
  }

  private static func word(_ kind: SubscriptionKind) -> String { kind == .indicate ? "indicate" : "notify" }

  private static func length(_ value: [UInt8]) -> String { "\(value.count) byte\(value.count == 1 ? "" : "s")" }

  private static func hex(_ value: [UInt8]) -> String { value.isEmpty ? "nothing" : Hex.text(value) }

  private static func name(_ reference: AttributeReference) -> String {
    AssignedNumbers.name(ofCharacteristic: reference.characteristic) ?? "\(reference.characteristic)"
  }
}
