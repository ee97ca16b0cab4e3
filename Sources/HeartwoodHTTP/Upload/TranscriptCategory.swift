/// What a line of the transcript is about, in Scrooge's words.
enum TranscriptCategory: String {
    case appending = "Appending"
    case network = "Network"
    case sending = "Sending"
    case removing = "Removing"
    case saving = "Saving"
    case timer = "Timer"
}
