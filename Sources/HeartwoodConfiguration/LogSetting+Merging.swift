import Heartwood

extension LogSetting {
    /// Puts another setting over this one.
    ///
    /// 1. Two tables are merged key by key, however deep they are; all else is replaced as a whole, lists
    ///    included.
    /// 2. Null takes back what was set: the key goes.
    /// 3. A table of another `kind` replaces the object: a console cannot use the settings of a file.
    /// 4. A key keeps its place in the order; new ones are added at the end.
    mutating func merge(_ other: LogSetting) {
        guard case .object(var mine) = value, case .object(let theirs) = other.value,
            LogSetting.isSameKind(self, other)
        else {
            self = other
            return
        }
        for member in theirs {
            guard let index = mine.firstIndex(where: { $0.key == member.key }) else {
                if !member.setting.isNull { mine.append(member) }
                continue
            }
            if member.setting.isNull {
                mine.remove(at: index)
            } else {
                var setting = mine[index].setting
                setting.merge(member.setting)
                mine[index] = Member(member.key, at: member.place, setting)
            }
        }
        value = .object(mine)
    }

    private static func isSameKind(_ left: LogSetting, _ right: LogSetting) -> Bool {
        guard let wanted = right["kind"]?.string, let known = left["kind"]?.string else { return true }
        return wanted == known
    }

    /// The setting at the end of a path of keys.
    subscript(path: ArraySlice<String>) -> LogSetting? {
        get {
            guard let first = path.first else { return self }
            return self[first]?[path.dropFirst()]
        }
        set {
            guard let first = path.first else {
                if let newValue { self = newValue }
                return
            }
            var members = self.members ?? []
            let index = members.firstIndex { $0.key == first }
            if path.count == 1 {
                if let index { members.remove(at: index) }
                if let newValue {
                    members.insert(Member(first, at: newValue.place, newValue), at: index ?? members.count)
                }
            } else {
                var inner = index.map { members[$0].setting } ?? LogSetting(.object([]))
                if inner.members == nil { inner = LogSetting(.object([])) }
                inner[path.dropFirst()] = newValue
                if let index {
                    members[index].setting = inner
                } else {
                    members.append(Member(first, inner))
                }
            }
            value = .object(members)
        }
    }
}
