struct Peers {
    let runs: Int
    let json: Bool
    func run() throws {}
}
