// spdlog on the same work: `spdlog sync|async|call|flush FILE LINES PRODUCERS`; prints lines per second, or ns per call.
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

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

    std::shared_ptr<spdlog::logger> logger;
    if (kind == "sync" || kind == "flush") {
        logger = spdlog::basic_logger_mt("peer", path);
    } else {
        spdlog::init_thread_pool(8192, 1);
        logger = spdlog::basic_logger_mt<spdlog::async_factory>("peer", path);
    }
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l [%s:%#] [%t] %v");
    for (int i = 0; i < 1000; i++) SPDLOG_LOGGER_INFO(logger, "request {} from {} took {} ms", -1, user, 12.5);

    if (kind == "call") {
        // Bursts with pauses, as ours.
        std::vector<double> means;
        const int bursts = 100, size = 1000;
        for (int burst = 0; burst < bursts; burst++) {
            auto start = Clock::now();
            for (int i = 0; i < size; i++)
                SPDLOG_LOGGER_INFO(logger, "request {} from {} took {} ms", i, user, double(i & 1023) / 8);
            means.push_back(seconds_since(start) / size);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        spdlog::shutdown();
        std::sort(means.begin(), means.end());
        printf("%f\n", means[bursts / 2] * 1e9);
        return 0;
    }
    if (kind == "flush") {
        // Each line is in the kernel when the call returns.
        logger->flush_on(spdlog::level::info);
        auto start = Clock::now();
        for (long i = 0; i < lines; i++)
            SPDLOG_LOGGER_INFO(logger, "request {} from {} took {} ms", i, user, double(i & 1023) / 8);
        printf("%f\n", seconds_since(start) * 1e9 / lines);
        return 0;
    }

    auto start = Clock::now();
    std::vector<std::thread> threads;
    for (int t = 0; t < producers; t++)
        threads.emplace_back([&] {
            for (long i = 0; i < lines / producers; i++)
                SPDLOG_LOGGER_INFO(logger, "request {} from {} took {} ms", i, user, double(i & 1023) / 8);
        });
    for (auto &thread : threads) thread.join();
    logger->flush();
    logger.reset();
    spdlog::shutdown();
    printf("%f\n", double(lines) / seconds_since(start));
}
