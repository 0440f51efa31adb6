import Exchange
import Packets
import Vocabulary

/// Reads one declaration again before its value is first written: a probe is evidence, not proof.
struct CheckDeclaration: Procedure {
  let characteristic: GattKnowledge.Characteristic

  func start() -> Step<Bool> {
    .send(
      .readByTypeRequest(HandleRange(characteristic.declaration, characteristic.declaration), type: ListCharacteristics.declaration)
    )
  }

  /// True when the declaration still says the same.
  func receive(_ answer: ATTPDU) -> Step<Bool> {
    switch answer {
    case .readByTypeResponse(let list):
      var writer = ByteWriter()
      writer.put(characteristic.properties)
      characteristic.value.write(to: &writer)
      characteristic.uuid.writeLittleEndian(to: &writer)
      return .done(list == [HandleValue(characteristic.declaration, writer.bytes)])
    case .errorResponse: return .done(false)
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }
}
