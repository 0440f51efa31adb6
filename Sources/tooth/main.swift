import Glibc
import Linux

// First, so that a closed stdout is not reused as the descriptor of a database or a socket.
guard StandardStreams.hold() else { exit(12) }
// Options/OptionTable.swift describes the command line; each command is in Commands/.
exit(CommandLineProgram(arguments: Array(CommandLine.arguments.dropFirst())).run())
