// quill: kinds `async` and `call`.
#include "quill/Backend.h"
#include "quill/Frontend.h"
#include "quill/LogMacros.h"
#include "quill/Logger.h"
#include "quill/sinks/FileSink.h"
#include "work.hpp"

int main(int count, char **arguments) {
    const Work work(count, arguments);
    quill::Backend::start();
    auto sink = quill::Frontend::create_or_get_sink<quill::FileSink>(work.path, [] {
        quill::FileSinkConfig config;
        config.set_open_mode('w');
        return config;
    }());
    quill::Logger *logger = quill::Frontend::create_or_get_logger(
        "peer", std::move(sink),
        quill::PatternFormatterOptions{
            "%(time) %(log_level) [%(short_source_location)] [%(thread_id)] %(message)", "%Y-%m-%d %H:%M:%S.%Qms"});
    quill::Frontend::preallocate();
    auto log = [&](long i) { LOG_INFO(logger, "request {} from {} took {} ms", i, work.user, part(i)); };
    for (int i = 0; i < 1000; i++) log(i);
    logger->flush_log();

    if (work.is("call")) {
        work.print_cost_of_call(log);
        logger->flush_log();
        return 0;
    }
    work.print_rate(log, [&] { logger->flush_log(); });
    quill::Backend::stop();
}
