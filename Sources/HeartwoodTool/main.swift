import CHeartwood
import Heartwood

SystemCalls.reserveStandardDescriptors()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).code)
