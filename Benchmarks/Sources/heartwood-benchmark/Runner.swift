import Foundation

/// Measures scenarios and prints what came out: median, least and most of several runs.
struct Runner {
    let options: Options
    let scenarios: [any Scenario]

    func run() throws {
        let chosen = scenarios.filter {
            options.names.isEmpty ? $0.isDefault : options.names.contains($0.name)
        }
        if !options.json { print(row("scenario", "unit", "median", "min", "max")) }
        for scenario in chosen {
            var series = Series()
            for _ in 0..<options.runs { series.add(try scenario.run()) }
            for (part, unit) in series.parts {
                report(scenario, part, series[part], unit: unit)
            }
        }
        if options.peers { try Peers(runs: options.runs, runner: self).run() }
        if let plots = options.plots, wants("growth") { try drawGrowth(in: plots) }
    }

    /// Measures how costs grow, and draws it.
    private func drawGrowth(in folder: String) throws {
        var groups: [BarChart.Group] = []
        for scenario in GrowthScenario.all {
            var series = Series()
            for _ in 0..<options.runs { series.add(try scenario.run()) }
            for (part, _) in series.parts { report(scenario, part, series[part]) }
            groups.append(
                BarChart.Group(
                    title: scenario.title, note: scenario.note,
                    bars: series.parts.map {
                        BarChart.Bar(
                            name: $0.name, unit: scenario.unit, values: series[$0.name], isOurs: true)
                    }))
        }
        try BarChart(groups: groups).write("growth", in: folder)
    }

    /// Whether a scenario is compared with others: all are, unless some are named.
    func wants(_ name: String) -> Bool { options.names.isEmpty || options.names.contains(name) }

    private func report(
        _ scenario: any Scenario, _ part: String, _ values: [Double], unit: String? = nil
    ) {
        let name = part.isEmpty ? scenario.name : "\(scenario.name) \(part)"
        report(name, unit ?? scenario.unit, values)
    }

    func report(_ name: String, _ unit: String, _ values: [Double]) {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        if options.json {
            print(
                "{\"scenario\":\"\(name)\",\"unit\":\"\(unit)\",\"value\":\(median(values)),"
                    + "\"min\":\(least),\"max\":\(most),\"runs\":\(values.count)}")
        } else {
            print(row(name, unit, text(median(values)), text(least), text(most)))
        }
    }

    private func text(_ value: Double) -> String {
        if value >= 1e6 { return String(format: "%.2f M", value / 1e6) }
        return value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }

    private func row(_ cells: String...) -> String {
        zip(cells, [30, 14, 12, 12, 12]).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }.joined()
    }
}

/// What several runs of a scenario measured.
struct Series {
    /// The parts in the order in which they came, and what their values are where that is said.
    private(set) var parts: [(name: String, unit: String?)] = []
    private var values: [String: [Double]] = [:]

    mutating func add(_ measurements: [Measurement]) {
        for measurement in measurements {
            if values[measurement.part] == nil { parts.append((measurement.part, measurement.unit)) }
            values[measurement.part, default: []].append(measurement.value)
        }
    }

    /// The values of a part, one of each run.
    subscript(part: String) -> [Double] { values[part] ?? [] }
}
