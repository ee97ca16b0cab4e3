import Foundation

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    try Runner(options: options, scenarios: scenarios).run()
} catch {
    FileHandle.standardError.write(Data("heartwood-benchmark: \(error)\n".utf8))
    exit(1)
}
