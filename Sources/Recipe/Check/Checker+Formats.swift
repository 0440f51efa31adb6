/// Declarations of binary formats.
extension Checker {
  mutating func checkFormats() {
    for format in recipe.formats {
      switch format.purpose {
      case .characteristic(let uuid)?: self.uuid(uuid, .characteristic, Place())
      case .serviceData(let uuid)?: self.uuid(uuid, .service, Place())
      case .manufacturer, nil: break
      }
    }
  }
}
