import Heartwood
import HeartwoodConfiguration

extension LogSettingDecoder where Value == any RetryPolicy {
    /// `"standard"` or `"scrooge"`.
    static var retryPolicy: LogSettingDecoder {
        .choice([("standard", StandardRetryPolicy()), ("scrooge", ScroogeRetryPolicy())])
    }
}

extension LogSettingDecoder where Value == DeviceFacts {
    /// A list of the facts' names.
    static var deviceFacts: LogSettingDecoder {
        LogSettingDecoder.choice([
            ("all", .all), ("system", .system), ("host", .host), ("model", .model), ("app", .app),
            ("starts", .starts), ("identity", .identity), ("user", .user),
        ]).list.map { DeviceFacts($0) }
    }
}

extension LogSettingDecoder where Value == LevelWeights {
    /// `"standard"`, `"swiftyBeaver"`, or a table of the levels' points.
    static var weights: LogSettingDecoder {
        LogSettingDecoder.choice([("standard", .standard), ("swiftyBeaver", .swiftyBeaver)])
            .or(
                .object("weights", table), named: "weights",
                write: "standard, swiftyBeaver or an object of levels and points",
                when: { $0.members != nil })
    }

    private static func table(_ settings: LogSettings) -> LevelWeights {
        var weights: [LogLevel: Int] = [:]
        for level in LogLevel.standardLevels {
            weights[level] = settings.optional(level.name, .integer())
        }
        return LevelWeights(weights)
    }
}
