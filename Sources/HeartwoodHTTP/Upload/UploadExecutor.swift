import Dispatch

/// Runs the tasks of a logger's uploads on a queue of their own.
///
/// The shared pool of Swift's tasks has as many threads as the machine has cores. A program that blocks them, by waiting
/// for a flush for instance, would keep the very requests from being sent that it waits for.
final class UploadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "heartwood.http.upload", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
