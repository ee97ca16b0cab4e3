/// A token and how wide its text is made.
struct PatternElement: Sendable {
    var token: PatternToken
    var shape: FieldShape?
}
