// The work of a peer, and how it is measured: `PEER KIND FILE LINES PRODUCERS`; prints lines per second, or ns per call.
// `log(i)` logs the message of number i; it returns at once, or when its line is written, as the kind says.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double part(long i) { return double(i & 1023) / 8; }

struct Work {
    std::string kind, path;
    long lines;
    int producers;
    std::string user = "user-1234";

    Work(int count, char **arguments) {
        if (count != 5) exit(2);
        kind = arguments[1];
        path = arguments[2];
        lines = atol(arguments[3]);
        producers = atoi(arguments[4]);
    }

    bool is(const char *name) const { return kind == name; }

    // Bursts with pauses, as ours, on all producers at once; prints the median of their mean costs.
    template <typename Log> void print_cost_of_call(Log log) const {
        const int bursts = 100, size = 1000;
        std::vector<double> means(size_t(bursts) * producers);
        std::atomic<int> arrived{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < producers; t++)
            threads.emplace_back([&, t] {
                for (int burst = 0; burst < bursts; burst++) {
                    arrived++;
                    while (arrived < (burst + 1) * producers) std::this_thread::yield();
                    auto start = Clock::now();
                    for (int i = 0; i < size; i++) log(i);
                    means[size_t(burst) * producers + t] = seconds_since(start) / size;
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                }
            });
        for (auto &thread : threads) thread.join();
        std::sort(means.begin(), means.end());
        printf("%f\n", means[means.size() / 2] * 1e9);
    }

    // All lines on one thread; prints the mean cost of a call that returns when its line is written.
    template <typename Log> void print_cost_of_line(Log log) const {
        auto start = Clock::now();
        for (long i = 0; i < lines; i++) log(i);
        printf("%f\n", seconds_since(start) * 1e9 / lines);
    }

    // All lines, on all producers; `end` returns when they are in the file.
    template <typename Log, typename End> void print_rate(Log log, End end) const {
        auto start = Clock::now();
        std::vector<std::thread> threads;
        for (int t = 0; t < producers; t++)
            threads.emplace_back([&] {
                for (long i = 0; i < lines / producers; i++) log(i);
            });
        for (auto &thread : threads) thread.join();
        end();
        printf("%f\n", double(lines) / seconds_since(start));
    }
};
