/// The location of a value: a local of the frame, a variable of the recipe, or a constant.
package struct Operand: Equatable, Sendable {
  package var raw: UInt16

  package init(raw: UInt16) { self.raw = raw }

  package static let limit = 0x4000

  package static func local(_ index: Int) -> Operand { Operand(raw: UInt16(index)) }
  package static func global(_ index: Int) -> Operand { Operand(raw: 0x8000 | UInt16(index)) }
  package static func constant(_ index: Int) -> Operand { Operand(raw: 0xC000 | UInt16(index)) }

  package var isLocal: Bool { raw < 0x8000 }
  package var isGlobal: Bool { raw & 0xC000 == 0x8000 }
  package var isConstant: Bool { raw >= 0xC000 }
  package var index: Int { Int(isLocal ? raw : raw & 0x3FFF) }

  /// The latest value of this body.
  package static let it = Operand.local(0)
  /// The current device.
  package static let device = Operand.local(1)
  /// The bytes and the time of the handler's event.
  package static let eventBytes = Operand.local(2)
  package static let eventTime = Operand.local(3)
  package static let firstFree = 4
}
