// fmtlog: kinds `async` and `call`.
#define FMT_HEADER_ONLY
#define FMTLOG_HEADER_ONLY
// A full queue waits, as ours does, instead of dropping the message.
#define FMTLOG_BLOCK 1
#include "fmtlog.h"
#include "work.hpp"

int main(int count, char **arguments) {
    const Work work(count, arguments);
    fmtlog::setLogFile(work.path.c_str(), true);
    fmtlog::setHeaderPattern("{YmdHMSe} {l} [{s}] [{t}] ");
    fmtlog::preallocate();
    fmtlog::startPollingThread(100000);
    auto log = [&](long i) { logi("request {} from {} took {} ms", i, work.user, part(i)); };
    for (int i = 0; i < 1000; i++) log(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));

    if (work.is("call")) {
        work.print_cost_of_call(log);
        fmtlog::stopPollingThread();
        return 0;
    }
    work.print_rate(log, [] {
        fmtlog::stopPollingThread();
        fmtlog::closeLogFile();
    });
}
