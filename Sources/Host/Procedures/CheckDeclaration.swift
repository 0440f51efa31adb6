import Exchange
import Packets
import Vocabulary

/// Reads a declaration again before the first write to its value, because a probe alone does not
/// confirm it.
struct CheckDeclaration: Procedure {
  let characteristic: AttributeCache.Characteristic

  func start() -> Step<Bool> {
    .send(
      .readByTypeRequest(
        HandleRange(characteristic.declaration, characteristic.declaration), type: DiscoverCharacteristics.declaration)
    )
  }

  /// Returns true if the declaration is unchanged.
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
