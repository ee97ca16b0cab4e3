// fmtlog on the same work: `fmtlog async|call FILE LINES PRODUCERS`; prints lines per second, or ns per call.
#define FMT_HEADER_ONLY
#define FMTLOG_HEADER_ONLY
// A full queue waits, as ours does, instead of dropping the message.
#define FMTLOG_BLOCK 1
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fmtlog.h"

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    const std::string kind = arguments[1], path = arguments[2];
    const long lines = atol(arguments[3]);
    const int producers = atoi(arguments[4]);
    std::string user = "user-1234";

    fmtlog::setLogFile(path.c_str(), true);
    fmtlog::setHeaderPattern("{YmdHMSe} {l} [{s}] [{t}] ");
    fmtlog::preallocate();
    fmtlog::startPollingThread(100000);
    for (int i = 0; i < 1000; i++) logi("request {} from {} took {} ms", -1, user, 12.5);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));

    if (kind == "call") {
        // Bursts with pauses, as ours.
        std::vector<double> means;
        const int bursts = 100, size = 1000;
        for (int burst = 0; burst < bursts; burst++) {
            auto start = Clock::now();
            for (int i = 0; i < size; i++)
                logi("request {} from {} took {} ms", i, user, double(i & 1023) / 8);
            means.push_back(seconds_since(start) / size);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        fmtlog::stopPollingThread();
        std::sort(means.begin(), means.end());
        printf("%f\n", means[bursts / 2] * 1e9);
        return 0;
    }

    auto start = Clock::now();
    std::vector<std::thread> threads;
    for (int t = 0; t < producers; t++)
        threads.emplace_back([&] {
            for (long i = 0; i < lines / producers; i++)
                logi("request {} from {} took {} ms", i, user, double(i & 1023) / 8);
        });
    for (auto &thread : threads) thread.join();
    fmtlog::stopPollingThread();
    fmtlog::closeLogFile();
    printf("%f\n", double(lines) / seconds_since(start));
}
