import Glibc
import Linux

// Before anything is opened: a closed stdout must not become the number of a database or a socket.
guard StandardStreams.hold() else { exit(12) }
// The command line is data (Options/OptionTable.swift), a command is a function (Commands/).
exit(CommandLineProgram(arguments: Array(CommandLine.arguments.dropFirst())).run())
