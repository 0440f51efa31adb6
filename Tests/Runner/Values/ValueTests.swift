import Testing

@testable import Runner

@Test func aValueTakesSeventeenBytes() { #expect(MemoryLayout<Value>.size <= 17) }
