package import Exchange

/// `scan for [all | strongest] WHAT … [where …] [within D] [as n]`
package struct ScanStatement: Equatable, Sendable {
  package enum Mode: Equatable, Sendable { case first, all, strongest }

  package var mode: Mode
  package var what: WhatSyntax
  package var filters: [FilterSyntax]
  package var condition: Expression?
  package var within: WithinSyntax?
  package var name: NameSyntax?
}

/// `connect [to DEV] [when it appears] [within D]`
package struct ConnectStatement: Equatable, Sendable {
  package var device: DeviceSyntax?
  package var whenItAppears: Bool
  package var within: WithinSyntax?
}

/// `reconnect [to DEV, …] forever | N times [waiting D [up to D]]`
package struct ReconnectStatement: Equatable, Sendable {
  package var devices: [DeviceSyntax]
  /// `nil` means `forever`.
  package var times: Expression?
  package var waiting: Expression?
  package var upTo: Expression?
}

/// `discover [everything | UUID, …] [of DEV] [within D]`
package struct DiscoverStatement: Equatable, Sendable {
  package var everything: Bool
  package var uuids: [UUIDSyntax]
  package var device: DeviceSyntax?
  package var within: WithinSyntax?
}

/// `pair [with DEV] [within D]`
package struct PairStatement: Equatable, Sendable {
  package var device: DeviceSyntax?
  package var within: WithinSyntax?
}

/// `read [raw] ATTR [within D] [as n]`
package struct ReadStatement: Equatable, Sendable {
  package var raw: Bool
  package var attribute: AttributePathSyntax
  package var within: WithinSyntax?
  package var name: NameSyntax?
}

/// What a write does if its acknowledgement is lost.
package enum UnsurePolicy: String, Equatable, Sendable { case fail, `repeat`, verify, skip }

/// `when unsure POLICY`
package struct UnsureSyntax: Equatable, Sendable {
  package var policy: UnsurePolicy
  package var range: SourceRange
}

/// `write V to ATTR [without response] [in pieces [of N]] [within D] [when unsure POLICY]`
package struct WriteStatement: Equatable, Sendable {
  package struct Pieces: Equatable, Sendable {
    package var size: Expression?
    package var range: SourceRange
  }

  package var value: Expression
  package var attribute: AttributePathSyntax
  package var withoutResponse: Bool
  package var pieces: Pieces?
  package var within: WithinSyntax?
  package var unsure: UnsureSyntax?
}

/// `subscribe to ATTR, … [within D]`
package struct SubscribeStatement: Equatable, Sendable {
  package var attributes: [AttributePathSyntax]
  package var within: WithinSyntax?
}

/// The four forms of `wait`.
package enum WaitStatement: Equatable, Sendable {
  case forever
  case duration(Expression)
  case until(Expression, within: WithinSyntax?)
  case event(EventSyntax, condition: Expression?, within: WithinSyntax?, name: NameSyntax?)
}

/// `print | log | warn | debug e, … [ending e]`
package struct OutputStatement: Equatable, Sendable {
  package enum Channel: String, Equatable, Sendable { case print, log, warn, debug }

  package var channel: Channel
  package var values: [Expression]
  package var ending: Expression?
}

/// `run [shell] "…" [within D] [as r] [when unsure …]`
package struct RunStatement: Equatable, Sendable {
  package var shell: Bool
  package var command: Expression
  package var within: WithinSyntax?
  package var name: NameSyntax?
  package var unsure: UnsureSyntax?
}

/// `ask [secret] "q" [as n]`
package struct AskStatement: Equatable, Sendable {
  package var secret: Bool
  package var prompt: Expression
  package var name: NameSyntax?
}

/// `stop`, `stop with code N`, `stop serving P`, `stop advertising`
package enum StopStatement: Equatable, Sendable {
  case plain
  case code(Expression)
  case serving(NameSyntax)
  case advertising
}

/// `open channel PSM [of DEV] [within D] as ch`
package struct OpenChannelStatement: Equatable, Sendable {
  package var psm: Expression
  package var device: DeviceSyntax?
  package var within: WithinSyntax?
  package var name: NameSyntax
}

/// `send V to ch [within D] [when unsure …]`
package struct SendStatement: Equatable, Sendable {
  package var value: Expression
  package var channel: DeviceSyntax
  package var within: WithinSyntax?
  package var unsure: UnsureSyntax?
}

/// `advertise TARGET, … [every D] [with {…}]`, as a statement and as a part of a peripheral.
package struct AdvertiseStatement: Equatable, Sendable {
  package var targets: [TargetSyntax]
  package var every: Expression?
  package var with: Expression?
}

/// `notify | indicate ATTR with e`
package struct NotifyStatement: Equatable, Sendable {
  package var indicate: Bool
  package var attribute: AttributePathSyntax
  package var value: Expression
}

/// `simulate P [as s] [with {…}]`
package struct SimulateStatement: Equatable, Sendable {
  package var peripheral: NameSyntax
  package var name: NameSyntax?
  package var with: Expression?
}

/// `start recipe ["f.ble"] [with {…}] [as r]`
package struct StartRecipeStatement: Equatable, Sendable {
  package var file: StringSyntax?
  package var with: Expression?
  package var name: NameSyntax?
}

/// `make P FAULT`, `make adapter FAULT`
package struct MakeStatement: Equatable, Sendable {
  package enum Fault: Equatable, Sendable {
    case vanish, appear, drop, reboot, loseNextReply
    case slow(by: Expression)
    case forgetBond, changeServices
    /// The event is `read`, `write` or `subscribe`.
    case refuseNext(EventSyntax.AttributeEvent, with: Expression)
  }

  /// `nil` means the adapter.
  package var target: NameSyntax?
  package var fault: Fault
}
