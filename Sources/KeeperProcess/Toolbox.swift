import Crypto
package import Host

/// Does what a host has ordered to be computed outside the core, in a keeper and in a run that has
/// a host of its own.
package enum Toolbox {
  package static func result(of computation: Computation) -> ComputationResult {
    switch computation {
    case .databaseHash(let message): (try? databaseHash(of: message)).map { .databaseHash($0) } ?? .unavailable
    }
  }
}
