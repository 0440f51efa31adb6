package import Exchange
package import Recipe
package import Vocabulary

// A site is what an instruction needs beyond three operands. Values that a recipe computes are operands.

/// `within`: the default of the statement, none, or a computed one.
package enum WithinSite: Equatable, Sendable {
  case standard
  case forever
  case computed(Operand)
}

/// Which device a statement means.
package enum DeviceSite: Equatable, Sendable {
  case current
  case value(Operand)
}

package struct ScanSite: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    case service(UUID)
    case name(String)
    case address(AddressValue)
    /// A computed address, UUID or name pattern.
    case value(Operand)
  }

  package var mode: ScanStatement.Mode
  package var targets: [Target]
  package var named: [String]
  package var strongerThan: [Operand]
  package var madeBy: [UInt16]
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
  /// What is looked for, as the recipe has it.
  package var text: String
}

package struct ConnectSite: Equatable, Sendable {
  package var device: DeviceSite
  package var whenItAppears: Bool
  package var within: WithinSite
}

package struct ReconnectSite: Equatable, Sendable {
  package var devices: [DeviceSite]
  package var times: Operand?
  package var waiting: Operand?
  package var upTo: Operand?
}

package struct DiscoverSite: Equatable, Sendable {
  package var device: DeviceSite
  package var services: [UUIDSite]
  package var within: WithinSite
}

package enum UUIDSite: Equatable, Sendable {
  case fixed(UUID)
  case value(Operand)
}

/// An attribute: fixed when the text says all of it.
package struct AttributeSite: Equatable, Sendable {
  package struct Step: Equatable, Sendable {
    package var uuid: UUIDSite
    package var instance: Operand?
  }

  package enum Form: Equatable, Sendable {
    case fixed(AttributePath)
    case handle(Operand)
    case value(Operand)
    case steps(service: Step?, characteristic: Step, descriptor: Step?)
    case rssi
  }

  package var form: Form
  package var device: DeviceSite
  package var text: String
}

package struct ReadSite: Equatable, Sendable {
  package var raw: Bool
  package var attribute: AttributeSite
  package var within: WithinSite
  package var destination: Operand?
}

package struct WriteSite: Equatable, Sendable {
  package var value: Operand
  package var attribute: AttributeSite
  package var withoutResponse: Bool
  package var within: WithinSite
  package var policy: UnsurePolicy
}

package struct SubscribeSite: Equatable, Sendable {
  package var attribute: AttributeSite
  package var within: WithinSite
  /// Its failure on a later connection does not cost the link, for it has an `otherwise`.
  package var isTolerant: Bool
}

/// What a handler serves, or `wait for` waits for.
package enum EventSite: Equatable, Sendable {
  case notify(AttributeSite, raw: Bool)
  case connect(DeviceSite?)
  case disconnect(DeviceSite?)
  // peripheral
  case write(AttributeSite, raw: Bool)
  case read(AttributeSite)
  case subscribe(AttributeSite)
  case unsubscribe(AttributeSite)
  case restore
  case stop
  case failure
}

package struct WaitUntilSite: Equatable, Sendable {
  package var predicate: Int
  package var within: WithinSite
  /// It mentions `now()`, so it is looked at each second too.
  package var mentionsNow: Bool
}

package struct WaitEventSite: Equatable, Sendable {
  package var event: EventSite
  package var predicate: Int?
  package var within: WithinSite
  package var destination: Operand?
}

package struct TrySite: Equatable, Sendable {
  package var times: Operand?
  package var every: Operand?
  package var within: WithinSite
  /// Where the attempts begin.
  package var start: Int
  /// Where the rescues begin; nothing when there are none.
  package var rescue: Int?
}

package struct OutputSite: Equatable, Sendable {
  package var channel: OutputStatement.Channel
  package var first: Int
  package var count: Int
  package var ending: Operand?
}

package struct CallSite: Equatable, Sendable {
  package var name: String
  package var builtIn: BuiltIn?
  package var method: Method?
  package var count: Int
}

package struct PlaceSite: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    case member(String)
    case index
  }

  package var root: Operand
  package var steps: [Step]
}

package struct Interpolation: Equatable, Sendable {
  package enum Part: Equatable, Sendable {
    case text(String)
    case value(format: StringSyntax.Format?)
  }

  package var parts: [Part]
}

package struct PublishSite: Equatable, Sendable {
  package var indicate: Bool
  package var attribute: AttributeSite
  package var value: Operand
}

package struct AdvertiseSite: Equatable, Sendable {
  package var services: [UUIDSite]
  package var every: Operand?
  package var with: Operand?
}
