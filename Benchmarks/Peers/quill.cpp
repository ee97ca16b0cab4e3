// quill on the same work: `quill async|call FILE LINES PRODUCERS`; prints lines per second, or ns per call.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "quill/Backend.h"
#include "quill/Frontend.h"
#include "quill/LogMacros.h"
#include "quill/Logger.h"
#include "quill/sinks/FileSink.h"

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

    quill::Backend::start();
    auto sink = quill::Frontend::create_or_get_sink<quill::FileSink>(path, [] {
        quill::FileSinkConfig config;
        config.set_open_mode('w');
        return config;
    }());
    quill::Logger *logger = quill::Frontend::create_or_get_logger(
        "peer", std::move(sink),
        quill::PatternFormatterOptions{
            "%(time) %(log_level) [%(short_source_location)] [%(thread_id)] %(message)", "%Y-%m-%d %H:%M:%S.%Qms"});
    quill::Frontend::preallocate();
    for (int i = 0; i < 1000; i++) LOG_INFO(logger, "request {} from {} took {} ms", -1, user, 12.5);
    logger->flush_log();

    if (kind == "call") {
        // Bursts with pauses, as ours.
        std::vector<double> means;
        const int bursts = 100, size = 1000;
        for (int burst = 0; burst < bursts; burst++) {
            auto start = Clock::now();
            for (int i = 0; i < size; i++)
                LOG_INFO(logger, "request {} from {} took {} ms", i, user, double(i & 1023) / 8);
            means.push_back(seconds_since(start) / size);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        logger->flush_log();
        std::sort(means.begin(), means.end());
        printf("%f\n", means[bursts / 2] * 1e9);
        return 0;
    }

    auto start = Clock::now();
    std::vector<std::thread> threads;
    for (int t = 0; t < producers; t++)
        threads.emplace_back([&] {
            for (long i = 0; i < lines / producers; i++)
                LOG_INFO(logger, "request {} from {} took {} ms", i, user, double(i & 1023) / 8);
        });
    for (auto &thread : threads) thread.join();
    logger->flush_log();
    printf("%f\n", double(lines) / seconds_since(start));
    quill::Backend::stop();
}
