// spdlog: kinds `sync`, `async`, `call` and `flush`.
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "work.hpp"

int main(int count, char **arguments) {
    const Work work(count, arguments);
    std::shared_ptr<spdlog::logger> logger;
    if (work.is("sync") || work.is("flush")) {
        logger = spdlog::basic_logger_mt("peer", work.path);
    } else {
        spdlog::init_thread_pool(8192, 1);
        logger = spdlog::basic_logger_mt<spdlog::async_factory>("peer", work.path);
    }
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l [%s:%#] [%t] %v");
    auto log = [&](long i) { SPDLOG_LOGGER_INFO(logger, "request {} from {} took {} ms", i, work.user, part(i)); };
    for (int i = 0; i < 1000; i++) log(i);

    if (work.is("call")) {
        work.print_cost_of_call(log);
    } else if (work.is("flush")) {
        // Each line is in the kernel when the call returns.
        logger->flush_on(spdlog::level::info);
        work.print_cost_of_line(log);
    } else {
        work.print_rate(log, [&] {
            logger->flush();
            logger.reset();
            spdlog::shutdown();
        });
        return 0;
    }
    spdlog::shutdown();
}
