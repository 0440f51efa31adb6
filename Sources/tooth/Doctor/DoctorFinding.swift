/// A line of `tooth doctor`.
package struct DoctorFinding: Equatable, Sendable {
  /// The area of a finding, which determines the exit code.
  package enum Area: String, Sendable {
    case kernel, rfkill, privileges, bluetoothd, adapter, keeper, systemd, service, checkpoints, bonds, versions

    /// The exit code of a bad finding.
    var exitCode: Int32 {
      switch self {
      case .kernel, .rfkill, .privileges, .bluetoothd, .adapter, .keeper: 9
      case .checkpoints: 11
      case .systemd, .service, .bonds, .versions: 1
      }
    }
  }

  package var area: Area
  package var isGood: Bool
  package var text: String
  /// The remedy, one step per line.
  package var cure: String?

  package static func good(_ area: Area, _ text: String) -> DoctorFinding {
    DoctorFinding(area: area, isGood: true, text: text, cure: nil)
  }

  package static func bad(_ area: Area, _ text: String, cure: String) -> DoctorFinding {
    DoctorFinding(area: area, isGood: false, text: text, cure: cure)
  }
}
