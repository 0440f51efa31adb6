package import Exchange

/// A compiled format, with which the runner decodes and encodes bytes. Names are resolved, big
/// endian is applied, and hidden and derived fields are known.
package struct FormatPlan: Equatable, Sendable {
  package var name: String
  package var steps: [FormatStep]
  /// The number of registers that conditions and sizes refer to.
  package var registers: Int
  /// The fields of the decoded value in order; bits of groups come after the other fields.
  package var outputs: [FormatOutput]
  /// Whether the only field is called `value`, so that the decoded value is that field itself.
  package var isSingleValue: Bool
  /// Whether it is a format of the Bluetooth SIG. When encoding, a flag may then be left out, and
  /// is 0, if another one of its group is given or derived.
  package var isBuiltIn = false

  package init(name: String) {
    self.name = name
    steps = []
    registers = 0
    outputs = []
    isSingleValue = false
  }

  /// The unit of the decoded value; `nil` if it has several fields or no unit.
  package var unit: String? { isSingleValue ? outputs[0].unit : nil }

  package func output(named name: String) -> Int? { outputs.firstIndex { $0.name == name } }

  /// Whether a field may be left out although it has no condition of its own. That is, in a format
  /// of the Bluetooth SIG, the `sequence` of a record, which is then 0, and a part whose fields all
  /// have a number for `nothing`, as the sample of a glucose measurement.
  package func mayBeLeftOut(_ step: FormatStep) -> Bool {
    guard isBuiltIn, !isSingleValue, case .value(let type, nil) = step.kind else { return false }
    switch type {
    case .number(let number): return step.name == "sequence" && number.scale == nil
    case .format(let part):
      return part.steps.allSatisfy { step in
        guard case .bits(let bits) = step.kind else { return false }
        return bits.fields.allSatisfy { bit in bit.meanings.contains { $0.word == .nothing } }
      }
    default: return false
    }
  }
}

/// A field of the decoded value.
package struct FormatOutput: Equatable, Sendable {
  package var name: String
  package var unit: String?
  /// Whether it may be missing, and then decodes to `nothing`.
  package var isOptional: Bool
}

/// A line of a format.
package struct FormatStep: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case value(FormatType, otherwise: FormatType?)
    case bits(FormatBits)
    case skip(FormatArithmetic)
  }

  package var name: String
  package var range: SourceRange
  package var kind: Kind
  /// Without `else`, the field is present only if this holds; with `else`, it chooses the type.
  package var condition: FormatCondition?
  /// Index in `outputs`; `nil` if the value does not show it.
  package var output: Int?
  /// Register of the raw number, if a condition or size refers to it.
  package var register: Int?
  package var always: FormatConstant?
  /// When encoding, the number is the size of the first of these fields that is given, plus the
  /// offset. If it has a condition, it may be given instead, and is part of the value.
  package var sizeOf: [SizeOf] = []

  package struct SizeOf: Equatable, Sendable {
    package var step: Int
    package var offset: Int64
    /// The number of lists around the sized field: 0 for the field itself.
    package var lists: Int
  }

  /// Whether the field may be missing.
  package var isOptional: Bool {
    if condition == nil { return false }
    if case .value(_, let otherwise) = kind { return otherwise == nil }
    return true
  }
}

/// The type of a field.
package indirect enum FormatType: Equatable, Sendable {
  case number(FormatNumber)
  /// Without a size, it extends to the end.
  case bytes(FormatArithmetic?)
  case text(FormatArithmetic?)
  /// 2 or 16 bytes.
  case uuid(size: Int, isBigEndian: Bool)
  case address(isBigEndian: Bool)
  /// Seven bytes (GATT Specification Supplement, 3.70).
  case dateTime(isBigEndian: Bool)
  /// The compressed URL of Eddystone.
  case eddystoneURL
  /// A layout that is not a sequence of fields; it takes all remaining bytes.
  case reading(SensorReading)
  case format(FormatPlan)
  case list(count: FormatArithmetic?, FormatType)

  /// Whether it takes all remaining bytes.
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

/// Layouts of sensors that advertise, by the names of their built-in formats.
package enum SensorReading: String, CaseIterable, Sendable {
  case bthome = "bthome_objects"
  case govee = "govee_reading"
  case mibeacon = "mibeacon_objects"
  case ruuvi = "ruuvi_raw_v2"
  case switchbot = "switchbot_reading"

  /// The fields of the value; empty if they differ between packets.
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

/// A word for a raw number. `nothing`, `true` and `false` stand for those values.
package struct FormatMeaning: Equatable, Sendable {
  package enum Word: Equatable, Sendable {
    case text(String)
    case nothing
    case flag(Bool)
  }

  package var word: Word
  package var raw: Int64
}

/// `times` and `plus`, exact in decimals within 64 bits, so that 1999 times 0.01 is 19.99.
package struct FormatScale: Equatable, Sendable {
  package var factor: Double
  package var offset: Double
  /// The value is `(raw * multiplier + addend) * 10 ^ exponent`, unless that overflows or
  /// `multiplier` is 0.
  package var multiplier: Int64
  package var addend: Int64
  package var exponent: Int
  /// The factor alone is `factorDigits * 10 ^ factorExponent`; 0 if it has too many digits.
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
  /// Whether it is a presence test or chooses a type. Such a bit is not part of the value, and is
  /// computed when encoding.
  package var isDerived: Bool

  package var mask: UInt64 { width >= 64 ? .max : (1 << UInt64(width)) - 1 }
}

/// An integer computed from earlier fields.
package indirect enum FormatArithmetic: Equatable, Sendable {
  case constant(Int64)
  case register(Int)
  case bits(register: Int, shift: Int, mask: UInt64)
  case binary(BinaryOperator, FormatArithmetic, FormatArithmetic)
  case ofBefore(FormatChecksum, from: Int, to: Int?)
}

/// What a format can compute from the bytes so far.
package enum FormatChecksum: Equatable, Sendable {
  case crc16, crc32, sum, count
}

package indirect enum FormatCondition: Equatable, Sendable {
  /// A derived bit.
  case bit(register: Int, bit: Int)
  /// True if the number is not 0.
  case truth(FormatArithmetic)
  case compare(BinaryOperator, FormatArithmetic, FormatArithmetic)
  case not(FormatCondition)
  case and(FormatCondition, FormatCondition)
  case or(FormatCondition, FormatCondition)
}

/// The constant of `always`.
package enum FormatConstant: Equatable, Sendable {
  case number(FormatArithmetic)
  case real(Double)
  case bytes([UInt8])
  case text(String)
}

/// An error in the declaration of a format.
package struct FormatProblem: Error, Equatable, Sendable {
  package var message: String
  package var range: SourceRange
  package var hint: String?
}
