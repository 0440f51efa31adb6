/// Searches a text for a piece with wildcards in O(n log n) instead of O(n m).
///
/// The sum of the squared differences over a piece is 0 exactly where it matches, and all sums
/// together are a convolution, computed exactly modulo a prime greater than any such sum.
struct WildcardSearch {
  /// Stands for any one character.
  static let any = UInt32.max

  private let count: Int
  /// The sum of the squares of the piece's characters, without wildcards.
  private let square: UInt64
  private let numbers: [UInt32: UInt64]
  private let transform: NumberTransform
  private let values: [UInt64]
  private let places: [UInt64]

  /// - Parameter piece: 1 to 2^23 characters.
  init(_ piece: [UInt32]) {
    count = piece.count
    var numbers: [UInt32: UInt64] = [:]
    for scalar in piece where scalar != Self.any && numbers[scalar] == nil { numbers[scalar] = UInt64(numbers.count + 1) }
    self.numbers = numbers
    var size = 2
    while size < 3 * count { size *= 2 }
    transform = NumberTransform(size)
    var values = [UInt64](repeating: 0, count: size)
    var places = values
    var square: UInt64 = 0
    for (index, scalar) in piece.enumerated() where scalar != Self.any {
      let number = numbers[scalar] ?? 0
      values[count - 1 - index] = number
      places[count - 1 - index] = 1
      square += number * number
    }
    transform.apply(&values)
    transform.apply(&places)
    self.square = square
    self.values = values
    self.places = places
  }

  /// The first occurrence at or after `start`.
  func first(in text: [UInt32], from start: Int) -> Int? {
    var at = start
    let fitting = transform.size - count + 1
    while at + count <= text.count {
      var once = [UInt64](repeating: 0, count: transform.size)
      for index in 0..<min(transform.size, text.count - at) { once[index] = numbers[text[at + index]] ?? 0 }
      var twice = once.map { $0 * $0 }
      transform.apply(&once)
      transform.apply(&twice)
      for index in once.indices {
        let product = NumberTransform.times(once[index], values[index])
        once[index] = NumberTransform.minus(
          NumberTransform.times(twice[index], places[index]), NumberTransform.plus(product, product))
      }
      transform.revert(&once)
      for place in 0..<min(fitting, text.count - at - count + 1)
      where NumberTransform.plus(once[count - 1 + place], square) == 0 {
        return at + place
      }
      at += fitting
    }
    return nil
  }
}

/// The discrete Fourier transform over the integers modulo 2^64 - 2^32 + 1.
struct NumberTransform {
  let size: Int
  private let roots: [UInt64]
  private let inverse: UInt64

  private static let prime: UInt64 = 0xFFFF_FFFF_0000_0001
  /// 2^64 modulo the prime.
  private static let fold: UInt64 = 0xFFFF_FFFF

  /// - Parameter size: a power of two, at least 2.
  init(_ size: Int) {
    self.size = size
    // 7 is a primitive root of the prime.
    let root = Self.power(7, (Self.prime - 1) / UInt64(size))
    var roots: [UInt64] = [1]
    while roots.count < size / 2 { roots.append(Self.times(roots[roots.count - 1], root)) }
    self.roots = roots
    inverse = Self.power(UInt64(size), Self.prime - 2)
  }

  static func plus(_ a: UInt64, _ b: UInt64) -> UInt64 { minus(a, b == 0 ? 0 : prime - b) }

  static func minus(_ a: UInt64, _ b: UInt64) -> UInt64 { a >= b ? a - b : a + (prime - b) }

  static func times(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    var (part, isBelow) = low.subtractingReportingOverflow(high >> 32)
    if isBelow { part &-= fold }
    var (sum, isOver) = part.addingReportingOverflow((high & fold) &* fold)
    if isOver { sum &+= fold }
    return sum >= prime ? sum - prime : sum
  }

  private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
    var (result, square, rest) = (UInt64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = times(result, square) }
      square = times(square, square)
      rest >>= 1
    }
    return result
  }

  func apply(_ numbers: inout [UInt64]) {
    var other = 0
    for index in 1..<size {
      var bit = size >> 1
      while other & bit != 0 {
        other ^= bit
        bit >>= 1
      }
      other |= bit
      if index < other { numbers.swapAt(index, other) }
    }
    var width = 2
    while width <= size {
      let half = width / 2
      let stride = size / width
      for start in Swift.stride(from: 0, to: size, by: width) {
        for offset in 0..<half {
          let product = Self.times(numbers[start + half + offset], roots[offset * stride])
          let sum = numbers[start + offset]
          numbers[start + offset] = Self.plus(sum, product)
          numbers[start + half + offset] = Self.minus(sum, product)
        }
      }
      width *= 2
    }
  }

  func revert(_ numbers: inout [UInt64]) {
    apply(&numbers)
    numbers[1...].reverse()
    for index in numbers.indices { numbers[index] = Self.times(numbers[index], inverse) }
  }
}
