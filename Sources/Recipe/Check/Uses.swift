/// What the statements of a body do that makes other statements or events possible.
struct Uses {
  /// Characteristics that are subscribed to; `subscribesToUnknown` if one of them is computed.
  var subscribed: Set<Facts.AttributeKey> = []
  var subscribesToUnknown = false
  /// Names of attributes that are read or subscribed to.
  var readNames: Set<String> = []
  /// Fields of devices that are set.
  var deviceFields: Set<String> = []
  /// Whether some `discover` asks for all services.
  var discoversEverything = false
  /// Whether anything disconnects or forgets a device.
  var givesUp = false
  /// Whether some `wait for passkey` takes a question.
  var takesQuestions = false

  mutating func add(_ statement: Statement, _ facts: Facts) {
    switch statement.kind {
    case .read(let statement): read(statement.attribute)
    case .subscribe(let subscribe):
      for path in subscribe.attributes {
        read(path)
        if let key = facts.key(path) { subscribed.insert(key) } else { subscribesToUnknown = true }
      }
    case .set(let place, _):
      if place.steps.count == 1, case .member(let name) = place.steps[0] { deviceFields.insert(name.text) }
    case .disconnect, .forget: givesUp = true
    case .discover(let discover): if discover.everything { discoversEverything = true }
    case .wait: if statement.kind.takesQuestion { takesQuestions = true }
    default: break
    }
  }

  private mutating func read(_ path: AttributePathSyntax) {
    if case .path(let steps) = path.kind, case .name(let name)? = steps.last?.uuid.kind { readNames.insert(name) }
  }

  mutating func add(_ other: Uses) {
    subscribed.formUnion(other.subscribed)
    subscribesToUnknown = subscribesToUnknown || other.subscribesToUnknown
    readNames.formUnion(other.readNames)
    deviceFields.formUnion(other.deviceFields)
    discoversEverything = discoversEverything || other.discoversEverything
    givesUp = givesUp || other.givesUp
    takesQuestions = takesQuestions || other.takesQuestions
  }
}
