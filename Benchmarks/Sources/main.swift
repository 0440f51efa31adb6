import Glibc

/// The program behind `Scripts/bench`. Each process takes one measurement, so that its instruction
/// count includes nothing else.
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "process" { exit(ChildProcess.run(Array(arguments.dropFirst()))) }
if arguments.first == "kept" {
  do {
    try KeptBench.run(Array(arguments.dropFirst()))
    Program.endAll()
    exit(0)
  } catch {
    Program.endAll()
    Report.complain("kept: \(error)")
    exit(1)
  }
}
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
guard let name = arguments.first, let measurement = Measurement(rawValue: name) else {
  let names = Measurement.allCases.map(\.rawValue).joined(separator: " ")
  Report.complain("bench NAME [COUNT], where NAME is one of: \(names)")
  exit(2)
}
do {
  try measurement.run(count)
} catch {
  Report.complain("\(name): \(error)")
  exit(1)
}
