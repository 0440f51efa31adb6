package import Exchange

/// A format made ready: names resolved, big endian applied, hidden and derived fields known. The
/// runner reads and writes bytes by it.
package struct FormatPlan: Equatable, Sendable {
  package var name: String
  package var steps: [FormatStep]
  /// How many numbers conditions and sizes refer to.
  package var registers: Int
  /// The fields of the decoded value, in their order: first those of their own, then those out of
  /// `bits`.
  package var outputs: [FormatOutput]
  /// The only field is called `value`: the decoded value is that field.
  package var isSingleValue: Bool
  /// A format of the Bluetooth SIG: flags beside one that is given or found out may be left out
  /// when encoding, and are 0.
  package var isBuiltIn = false

  package init(name: String) {
    self.name = name
    steps = []
    registers = 0
    outputs = []
    isSingleValue = false
  }

  package func output(named name: String) -> Int? { outputs.firstIndex { $0.name == name } }
}

/// A field of the decoded value.
package struct FormatOutput: Equatable, Sendable {
  package var name: String
  package var unit: String?
  /// It may be missing; then it decodes to `nothing`.
  package var isOptional: Bool
}

/// One line of a format.
package struct FormatStep: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case value(FormatType, otherwise: FormatType?)
    case bits(FormatBits)
    case skip(FormatArithmetic)
  }

  package var name: String
  package var range: SourceRange
  package var kind: Kind
  /// Without `else` the field is there only when this holds; with it, it chooses the type.
  package var condition: FormatCondition?
  /// Nothing for what the value does not show.
  package var output: Int?
  /// Where the raw number is kept for conditions and sizes that refer to it.
  package var register: Int?
  package var always: FormatConstant?
  /// When encoding, this number is the size of the first of these fields that is given, plus the
  /// offset. Behind a condition it may be given instead, and is shown.
  package var sizeOf: [SizeOf] = []

  package struct SizeOf: Equatable, Sendable {
    package var step: Int
    package var offset: Int64
    /// How many lists are around what has this size: 0 for the field itself.
    package var lists: Int
  }

  /// Whether the field may be missing.
  package var isOptional: Bool {
    if condition == nil { return false }
    if case .value(_, let otherwise) = kind { return otherwise == nil }
    return true
  }
}

/// A type of a field.
package indirect enum FormatType: Equatable, Sendable {
  case number(FormatNumber)
  /// Without a size it runs to the end.
  case bytes(FormatArithmetic?)
  case text(FormatArithmetic?)
  /// 2 or 16 bytes.
  case uuid(size: Int, isBigEndian: Bool)
  case address(isBigEndian: Bool)
  /// Seven bytes (GATT Specification Supplement, 3.70).
  case dateTime(isBigEndian: Bool)
  /// The compressed URL of Eddystone.
  case eddystoneURL
  /// A layout that is no sequence of fields: it takes all that is left.
  case reading(SensorReading)
  case format(FormatPlan)
  case list(count: FormatArithmetic?, FormatType)

  /// Whether it takes all that is left.
  package var runsToEnd: Bool {
    switch self {
    case .bytes(nil), .text(nil), .list(nil, _), .eddystoneURL, .reading: true
    case .format(let plan):
      plan.steps.contains { step in
        if case .value(let type, let otherwise) = step.kind { return type.runsToEnd || otherwise?.runsToEnd == true }
        return false
      }
    default: false
    }
  }
}

/// Layouts of sensors that advertise, by the names that built-in formats have for them.
package enum SensorReading: String, CaseIterable, Sendable {
  case bthome = "bthome_objects"
  case govee = "govee_reading"
  case mibeacon = "mibeacon_objects"
  case ruuvi = "ruuvi_raw_v2"
  case switchbot = "switchbot_reading"

  /// The fields of its value; empty when each packet has others.
  package var fields: [String] {
    switch self {
    case .bthome, .mibeacon: []
    case .govee, .switchbot: ["temperature", "humidity", "battery"]
    case .ruuvi:
      [
        "temperature", "humidity", "pressure", "acceleration_x", "acceleration_y", "acceleration_z", "voltage", "tx_power",
        "movements", "sequence", "address",
      ]
    }
  }
}

package struct FormatNumber: Equatable, Sendable {
  package var type: NumberType
  package var scale: FormatScale?
  package var meanings: [FormatMeaning] = []
}

/// A word for a raw number. `nothing`, `true` and `false` are those values.
package struct FormatMeaning: Equatable, Sendable {
  package enum Word: Equatable, Sendable {
    case text(String)
    case nothing
    case flag(Bool)
  }

  package var word: Word
  package var raw: Int64
}

/// `times` and `plus`. Exact in decimals as far as 64 bits go, so that 1999 times 0.01 is 19.99.
package struct FormatScale: Equatable, Sendable {
  package var factor: Double
  package var offset: Double
  /// The value is `(raw * multiplier + addend) * 10 ^ exponent`, unless that overflows or the
  /// multiplier is 0.
  package var multiplier: Int64
  package var addend: Int64
  package var exponent: Int
  /// The factor alone: `factorDigits * 10 ^ factorExponent`; 0 when it has too many digits.
  package var factorDigits: Int64
  package var factorExponent: Int
}

/// A group of bits.
package struct FormatBits: Equatable, Sendable {
  package var storage: NumberType
  package var fields: [FormatBit]
}

package struct FormatBit: Equatable, Sendable {
  package var name: String
  package var shift: Int
  package var width: Int
  package var isSingle: Bool
  package var meanings: [FormatMeaning]
  package var output: Int?
  /// Used as a presence test or to choose a type: not part of the value, and found out when
  /// encoding.
  package var isDerived: Bool

  package var mask: UInt64 { width >= 64 ? .max : (1 << UInt64(width)) - 1 }
}

/// Whole numbers out of earlier fields.
package indirect enum FormatArithmetic: Equatable, Sendable {
  case constant(Int64)
  case register(Int)
  case bits(register: Int, shift: Int, mask: UInt64)
  case binary(BinaryOperator, FormatArithmetic, FormatArithmetic)
  case ofBefore(FormatChecksum, from: Int, to: Int?)
}

/// What can be computed of the bytes so far.
package enum FormatChecksum: Equatable, Sendable {
  case crc16, crc32, sum, count
}

package indirect enum FormatCondition: Equatable, Sendable {
  /// One derived bit.
  case bit(register: Int, bit: Int)
  /// Any number: not zero.
  case truth(FormatArithmetic)
  case compare(BinaryOperator, FormatArithmetic, FormatArithmetic)
  case not(FormatCondition)
  case and(FormatCondition, FormatCondition)
  case or(FormatCondition, FormatCondition)
}

/// What `always` says.
package enum FormatConstant: Equatable, Sendable {
  case number(FormatArithmetic)
  case real(Double)
  case bytes([UInt8])
  case text(String)
}

/// Why a format makes no sense.
package struct FormatProblem: Error, Equatable, Sendable {
  package var message: String
  package var range: SourceRange
  package var hint: String?
}
