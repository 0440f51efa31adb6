import Exchange
import Packets
import Vocabulary

/// A request of discovery. Its results go into the cache, whose cursors determine the next request.
/// Discovery has no other state, so it can continue anywhere, even after a kill.
enum DiscoveryRequest: Equatable, Sendable {
  case find(DiscoverServiceByUUID)
  case services(DiscoverPrimaryServices)
  case includes(FindIncludedServices)
  case allIncludes(FindAllIncludedServices)
  case includeName(NameInclude)
  case characteristics(DiscoverCharacteristics)
  case allCharacteristics(DiscoverAllCharacteristics)
  case descriptors(DiscoverDescriptors)

  var request: ATTPDU {
    switch self {
    case .find(let procedure): procedure.request
    case .services(let procedure): procedure.request
    case .includes(let procedure): procedure.request
    case .allIncludes(let procedure): procedure.request
    case .includeName(let procedure): procedure.request
    case .characteristics(let procedure): procedure.request
    case .allCharacteristics(let procedure): procedure.request
    case .descriptors(let procedure): procedure.request
    }
  }

  /// Adds an answer to the cache, or nothing if it is invalid.
  func absorb(_ answer: ATTPDU, into attributeCache: inout AttributeCache) -> Failure? {
    var grown = attributeCache
    let failure =
      switch self {
      case .find(let procedure): procedure.absorb(answer, into: &grown)
      case .services(let procedure): procedure.absorb(answer, into: &grown)
      case .includes(let procedure): procedure.absorb(answer, into: &grown)
      case .allIncludes(let procedure): procedure.absorb(answer, into: &grown)
      case .includeName(let procedure): procedure.absorb(answer, into: &grown)
      case .characteristics(let procedure): procedure.absorb(answer, into: &grown)
      case .allCharacteristics(let procedure): procedure.absorb(answer, into: &grown)
      case .descriptors(let procedure): procedure.absorb(answer, into: &grown)
      }
    if let failure { return failure }
    if let probe = probe(answer, grown), !probe.isAbsence || grown.probe?.isAbsence ?? true { grown.probe = probe }
    attributeCache = grown
    return nil
  }

  /// Returns the request from the last entry found, which must then come first. The last entry is
  /// most likely above handle 0x0001.
  private func probe(_ answer: ATTPDU, _ attributeCache: AttributeCache) -> AttributeCache.Probe? {
    let again: ATTPDU
    let expected: ATTPDU
    switch (request, answer) {
    case (.findByTypeValueRequest(let range, let type, let value), .findByTypeValueResponse(let list)):
      guard let last = list.last else { return nil }
      again = .findByTypeValueRequest(HandleRange(last.start, range.end), type: type, value: value)
      expected = .findByTypeValueResponse([last])
    case (.readByGroupTypeRequest(let range, let type), .readByGroupTypeResponse(let list)):
      guard let last = list.last else { return nil }
      again = .readByGroupTypeRequest(HandleRange(last.range.start, range.end), type: type)
      expected = .readByGroupTypeResponse([last])
    case (.readByTypeRequest(let range, let type), .readByTypeResponse(let list)):
      guard let last = list.last else { return nil }
      again = .readByTypeRequest(HandleRange(last.handle, range.end), type: type)
      expected = .readByTypeResponse([last])
    case (.findInformationRequest(let range), .findInformationResponse(let list)):
      guard let (start, entries) = named(list, attributeCache) else { return nil }
      again = .findInformationRequest(HandleRange(start, range.end))
      expected = .findInformationResponse(entries)
    case (.readRequest, .readResponse):
      again = request
      expected = answer
    case (let asked, .errorResponse(let opcode, let handle, let code)):
      guard code == .attributeNotFound else { return nil }
      expected = .errorResponse(request: opcode, handle: handle, code: code)
      // What is not found from 0x0001 is not found from 0x0002 either.
      switch asked {
      case .findByTypeValueRequest(let range, let type, let value):
        again = .findByTypeValueRequest(range.aboveFirst, type: type, value: value)
      case .readByGroupTypeRequest(let range, let type): again = .readByGroupTypeRequest(range.aboveFirst, type: type)
      case .readByTypeRequest(let range, let type): again = .readByTypeRequest(range.aboveFirst, type: type)
      default: again = asked
      }
    default: return nil
    }
    return AttributeCache.Probe(request: again.encoded, expected: expected.encoded)
  }

  /// Starts the probe at the value, because descriptors are alike everywhere and the value
  /// identifies the characteristic.
  private func named(_ list: [HandleUUID], _ attributeCache: AttributeCache) -> (AttributeHandle, [HandleUUID])? {
    guard case .descriptors(let procedure) = self,
      let place = attributeCache.services.firstIndex(where: { $0.start == procedure.service }),
      let characteristic = attributeCache.services[place].characteristics.first(where: {
        $0.declaration == procedure.characteristic
      })
    else { return list.last.map { ($0.handle, [$0]) } }
    var entries = [HandleUUID(characteristic.value, characteristic.uuid)]
    // A response has UUIDs of one width; the smallest MTU has room for five short ones.
    for descriptor in characteristic.descriptors {
      guard characteristic.uuid.short != nil, descriptor.uuid.short != nil, entries.count < 5 else { break }
      entries.append(HandleUUID(descriptor.handle, descriptor.uuid))
    }
    return (characteristic.value, entries)
  }
}

extension HandleRange {
  fileprivate var aboveFirst: HandleRange { HandleRange(max(start, min(AttributeHandle(0x0002), end)), end) }
}
