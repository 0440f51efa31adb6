import Exchange
import Recipe
import Vocabulary
package struct FormatCatalog: Sendable {
  init(_ file: RecipeFile) {}
  func decode(_ uuid: UUID, _ bytes: [UInt8]) throws(Failure) -> Value { if bytes.count > 600 { throw .value("x") }; return .bytes(bytes) }
  func encode(_ uuid: UUID, _ value: Value) throws(Failure) -> [UInt8]? { nil }
  static func homeService(of uuid: UUID) -> UUID? { nil }
}
