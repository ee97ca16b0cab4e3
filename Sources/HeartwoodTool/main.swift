import CHeartwood

SystemCalls.reserveStandardDescriptors()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).code)
