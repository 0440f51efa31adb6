import Glibc

// The command line is data (Options/OptionTable.swift), a command is a function (Commands/).
exit(CommandLineProgram(arguments: Array(CommandLine.arguments.dropFirst())).run())
