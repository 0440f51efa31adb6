package import Exchange

/// `on …`, `every …`, `after …` with a body.
package struct Handler: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// `on EVENT [where …] [as …] [keeping latest]`
    case on(EventSyntax)
    /// `every D [at "06:00"] [as tick]`
    case every(Expression, at: Expression?)
    /// `after D`
    case after(Expression)
  }

  /// Unique in the file, in textual order. Handlers and statements share the numbers.
  package var id: Int
  package var kind: Kind
  package var condition: Expression?
  package var name: NameSyntax?
  package var keepingLatest: Bool
  package var body: [Member]
  /// From `on` to `end`.
  package var range: SourceRange
  /// From `on` to the end of the header line.
  package var header: SourceRange
  /// The tokens of the header line, separated by single spaces.
  package var normalized: String

  /// Whether its device is that of the enclosing `with` or `whenever`, because neither the handler
  /// nor its event names another.
  package var isOfItsBlocksDevice: Bool {
    switch kind {
    case .every, .after: return true
    case .on(let event):
      switch event.kind {
      case .attribute(_, _, let path): return path.device == nil
      case .connect(let target), .disconnect(let target), .services(let target): return target == nil
      case .data, .advertisement, .passkey, .line, .restore, .stop, .failure, .adapter: return false
      }
    }
  }
}

extension Handler {
  /// Whether its event is a request, which `answer` or `refuse` completes, ending the handler.
  package var isOfRequest: Bool {
    guard case .on(let event) = kind else { return false }
    switch event.kind {
    case .attribute(let kind, _, _): return kind == .read || kind == .write
    case .passkey(let kind): return kind.expectsAnswer
    case .connect, .disconnect, .data, .advertisement, .services, .line, .restore, .stop, .failure, .adapter: return false
    }
  }
}

/// `whenever WHAT … appears` … `end`
package struct Whenever: Equatable, Sendable {
  package var id: Int
  package var what: WhatSyntax
  package var filters: [FilterSyntax]
  package var condition: Expression?
  /// `again after D`
  package var again: Expression?
  package var name: NameSyntax?
  package var body: [Member]
  package var range: SourceRange
  package var header: SourceRange
  package var normalized: String
}

/// The event of a handler or of `wait for`.
package struct EventSyntax: Equatable, Sendable {
  package enum AttributeEvent: String, Equatable, Sendable {
    case notify, write, read, subscribe, unsubscribe
  }

  package enum Passkey: String, Equatable, Sendable {
    case request, display, confirm

    /// A passkey that is only displayed needs no answer.
    package var expectsAnswer: Bool { self != .display }
  }

  package enum Kind: Equatable, Sendable {
    /// `notify raw ATTR` and the like.
    case attribute(AttributeEvent, raw: Bool, AttributePathSyntax)
    case connect(DeviceSyntax?)
    case disconnect(DeviceSyntax?)
    case data(DeviceSyntax)
    case advertisement(WhatSyntax, [FilterSyntax])
    case passkey(Passkey)
    /// The services of a device have changed.
    case services(DeviceSyntax?)
    case line
    case restore
    case stop
    case failure
    case adapter
  }

  package var kind: Kind
  package var range: SourceRange
}
