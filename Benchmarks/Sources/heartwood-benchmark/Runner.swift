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
            var values: [String: [Double]] = [:]
            var parts: [String] = []
            for _ in 0..<options.runs {
                for measurement in try scenario.run() {
                    if values[measurement.part] == nil { parts.append(measurement.part) }
                    values[measurement.part, default: []].append(measurement.value)
                }
            }
            for part in parts { report(scenario, part, values[part] ?? []) }
        }
        if options.peers { try Peers(runs: options.runs, runner: self).run() }
        if let plots = options.plots, wants("growth") { try drawGrowth(in: plots) }
    }

    /// Measures how costs grow, and draws it.
    private func drawGrowth(in folder: String) throws {
        var groups: [BarChart.Group] = []
        for scenario in GrowthScenario.all {
            var values: [String: [Double]] = [:]
            for _ in 0..<options.runs {
                for measurement in try scenario.run() {
                    values[measurement.part, default: []].append(measurement.value)
                }
            }
            let parts = scenario.values.map(scenario.label)
            for part in parts { report(scenario, part, values[part] ?? []) }
            groups.append(
                BarChart.Group(
                    title: scenario.title, note: scenario.note,
                    bars: parts.map {
                        BarChart.Bar(name: $0, unit: scenario.unit, values: values[$0] ?? [], isOurs: true)
                    }))
        }
        try BarChart(groups: groups).write("growth", in: folder)
    }

    /// Whether a scenario is compared with others: all are, unless some are named.
    func wants(_ name: String) -> Bool { options.names.isEmpty || options.names.contains(name) }

    private func report(_ scenario: any Scenario, _ part: String, _ values: [Double]) {
        let name = part.isEmpty ? scenario.name : "\(scenario.name) \(part)"
        report(name, part.hasPrefix("cpu") ? "s" : scenario.unit, values)
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
        zip(cells, [26, 12, 12, 12, 12]).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }.joined()
    }
}
