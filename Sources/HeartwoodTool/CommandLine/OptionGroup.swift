/// Options that belong together in the help.
struct OptionGroup {
    let title: String
    let options: [Option]
}
