import Glibc

/// What `Scripts/bench` runs: one measurement a process, so that counting its instructions counts nothing else.
let arguments = CommandLine.arguments.dropFirst()
let measurements: [(name: String, run: (Int) throws -> Void)] = [
  ("loop", LoopBench.run)
]
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
guard let name = arguments.first, let measurement = measurements.first(where: { $0.name == name }) else {
  Report.complain("bench NAME [COUNT], where NAME is one of: \(measurements.map(\.name).joined(separator: " "))")
  exit(2)
}
do {
  try measurement.run(count)
} catch {
  Report.complain("\(name): \(error)")
  exit(1)
}
