import Foundation

/// A chart of horizontal bars as an SVG file, which takes light or dark from the reader's system.
struct BarChart {
    struct Bar {
        let name: String
        let unit: String
        let values: [Double]
        var isOurs: Bool
    }

    /// One group of bars that are compared with each other.
    struct Group {
        let title: String
        let note: String
        let bars: [Bar]
    }

    let groups: [Group]

    private static let (nameWidth, barWidth, valueWidth) = (190.0, 380.0, 150.0)
    private static let (barHeight, titleHeight, gap) = (22.0, 30.0, 16.0)
    private static let style = """
        text { font: 13px -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: #1f2328; }
        .title { font-weight: 600; } .note { fill: #656d76; font-size: 12px; } .value { font-size: 12px; }
        .ours { fill: #2f7d4f; } .other { fill: #afb8c1; } .spread { stroke: #1f2328; stroke-width: 1.5; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; } .note { fill: #8d96a0; } .ours { fill: #3fb950; } .other { fill: #484f58; }
          .spread { stroke: #e6edf3; }
        }
        """

    /// The chart as SVG: each bar is a median, the line at its end reaches from the least to the most.
    var svg: String {
        var body = ""
        var y = 8.0
        for group in groups {
            body += text(group.title, x: 0, y: y + 16, kind: "title")
            body += text(
                group.note, x: BarChart.nameWidth + BarChart.barWidth + BarChart.valueWidth, y: y + 16,
                kind: "note",
                anchor: "end")
            y += BarChart.titleHeight
            let most = group.bars.flatMap(\.values).max() ?? 1
            for bar in group.bars {
                body += self.bar(bar, most: most, y: y)
                y += BarChart.barHeight
            }
            y += BarChart.gap
        }
        let width = BarChart.nameWidth + BarChart.barWidth + BarChart.valueWidth
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(y))" role="img">
            <style>\(BarChart.style)</style>
            \(body)</svg>

            """
    }

    /// Writes the chart into a folder, which is created where it is missing.
    func write(_ name: String, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(svg.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name + ".svg"))
    }

    private func bar(_ bar: Bar, most: Double, y: Double) -> String {
        let scale = BarChart.barWidth / max(most, .leastNonzeroMagnitude)
        let value = median(bar.values)
        let left = BarChart.nameWidth
        let (least, greatest) = (bar.values.min() ?? value, bar.values.max() ?? value)
        var lines = text(bar.name, x: left - 8, y: y + 15, kind: "name", anchor: "end")
        lines += """
            <rect class="\(bar.isOurs ? "ours" : "other")" x="\(number(left))" y="\(number(y + 3))" \
            width="\(number(max(1, value * scale)))" height="16" rx="2"/>
            <path class="spread" d="M\(number(left + least * scale)) \(number(y + 11))H\(number(left + greatest * scale))"/>

            """
        lines += text(
            BarChart.text(value, unit: bar.unit), x: left + max(value, greatest) * scale + 8, y: y + 15,
            kind: "value")
        return lines
    }

    private func text(_ text: String, x: Double, y: Double, kind: String, anchor: String = "start") -> String
    {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return
            "<text class=\"\(kind)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped)</text>\n"
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func text(_ value: Double, unit: String) -> String {
        if unit == "bytes/s" {
            return value >= 1e9
                ? String(format: "%.2f GB/s", value / 1e9) : String(format: "%.0f MB/s", value / 1e6)
        }
        if value >= 1e6 { return String(format: "%.2f M \(unit)", value / 1e6) }
        return String(format: value >= 100 ? "%.0f \(unit)" : "%.1f \(unit)", value)
    }
}
