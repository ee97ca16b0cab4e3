/// Every scenario, in the order of their output.
let scenarios: [any Scenario] =
    [DisabledCall(), EnabledCall.typed, EnabledCall.string, EnabledCall.journaled, Allocations()]
    + [ConcurrentCalls(callers: 4), ConcurrentCalls(callers: 16), CallInstructions()]
    + FileScenario.all
    + [SynchronousCall(), ConsoleScenario(), CustomLogger(), StuckScenario(), MemoryScenario()]
    + [FileStartScenario(), FileTailScenario()]
    + [HTTPEncodingScenario(), HTTPAcknowledgedScenario(), HTTPSpoolScenario(), HTTPDownScenario()]
    + [HTTPStartScenario(), HTTPFilesScenario(), EventReadsScenario()]
    + [FormatsScenario(), FormatterScenario(), RedactionScenario(), FilterScenario()]
    + [SQLiteSaveScenario(), SQLiteQueryScenario()]
    + ToolScenario.all
    + GrowthScenario.all
