import SuiteSupport
import Testing

@testable import Heartwood

/// Changes of the catalogue that are made to what others have stored meanwhile.
@Suite(.inTurn) struct CatalogueChangeTests {
    private func label(_ number: Int) -> LogFileLabel { LogFileLabel(createdAt: nil, number: number) }

    private func catalogue(
        _ finished: Int? = nil, open: Set<String> = [], active: Int? = nil, processed: [String] = []
    ) -> FileCatalogue {
        var catalogue = FileCatalogue()
        catalogue.finished = finished.map(label)
        catalogue.open = open
        catalogue.active = active.map(label)
        catalogue.processed = processed
        return catalogue
    }

    private var states: [FileCatalogue] {
        [
            catalogue(), catalogue(1, open: ["a"]), catalogue(3, open: ["b"], active: 4, processed: ["x"]),
            catalogue(2, active: 5, processed: ["y", "x"]),
            catalogue(open: ["a", "b", "c"], processed: ["z"]),
        ]
    }

    @Test(
        "Made to the state that it was taken from, a change gives the other one, alone or after another change"
    )
    func roundTrip() {
        for first in states {
            for second in states {
                let change = CatalogueChange(from: first, to: second)
                var result = first
                change.apply(to: &result)
                #expect(Set(result.processed) == Set(second.processed))
                result.processed = second.processed
                #expect(result == second)
                #expect(
                    change.isEmpty
                        == (first == second
                            || Set(first.processed) == Set(second.processed) && first.open == second.open
                                && first.finished == second.finished && first.active == second.active)
                )
                for third in states {
                    var both = change
                    both.add(CatalogueChange(from: second, to: third))
                    var result = first
                    both.apply(to: &result)
                    result.processed.sort()
                    var expected = third
                    expected.processed.sort()
                    #expect(result == expected, "\(first) \(second) \(third)")
                }
            }
        }
    }

    @Test("What others have stored meanwhile stays")
    func merge() {
        let change = CatalogueChange(
            from: catalogue(1, open: ["a", "b"], processed: ["x"]),
            to: catalogue(2, open: ["b", "c"], processed: ["x", "y"]))
        var theirs = catalogue(5, open: ["a", "b", "d"], active: 6, processed: ["x", "z"])
        change.apply(to: &theirs)
        #expect(theirs == catalogue(5, open: ["b", "c", "d"], active: 6, processed: ["x", "z", "y"]))
    }

    @Test("A file that is opened again is open, whatever was noted of its name before")
    func opensAgain() {
        var change = CatalogueChange(from: catalogue(open: ["a"]), to: catalogue(1))
        change.open("a")
        var theirs = catalogue(4)
        change.apply(to: &theirs)
        #expect(theirs == catalogue(4, open: ["a"]))
    }
}
