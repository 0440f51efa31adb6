import Glibc

/// libFuzzer's own entry (FuzzerInterface.h). SwiftPM names the entry of a program itself, so the
/// `main` that libFuzzer brings cannot be used.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// Before libFuzzer begins, to which an end of the process is a finding.
let family = Family.chosen
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runFuzzer(&count, &arguments) { start, count in
    Family.chosen.run(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)))
    return 0
  })
