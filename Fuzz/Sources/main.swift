import Glibc

/// libFuzzer's own entry point (FuzzerInterface.h). SwiftPM renames the entry point of a program,
/// so the `main` of libFuzzer cannot be used.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// This runs before libFuzzer starts, because libFuzzer treats an exit of the process as a finding.
let family = Family.chosen
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runFuzzer(&count, &arguments) { start, count in
    Family.chosen.run(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)))
    return 0
  })
