/// An instruction of 8 bytes.
package struct Op: Equatable, Sendable {
  package var code: OpCode
  package var a: UInt16
  package var b: UInt16
  package var c: UInt16

  package init(_ code: OpCode, _ a: UInt16 = 0, _ b: UInt16 = 0, _ c: UInt16 = 0) {
    self.code = code
    self.a = a
    self.b = b
    self.c = c
  }

  package var target: Int { Int(b) | Int(c) << 16 }

  package mutating func setTarget(_ pc: Int) {
    b = UInt16(truncatingIfNeeded: pc)
    c = UInt16(truncatingIfNeeded: pc >> 16)
  }
}
