// Estimates how far threads can share a run, for machines with more processors than this one.
//
//   dccvp_bench_threads THREADS[,THREADS…] CONFIG.yaml [key.path=value …]
//
// Runs the configuration divided into the given number of parts and counts events by part and by
// window (the lookahead, after which all threads wait for each other). With one processor per
// thread, a window lasts as long as the part with most events. The sum over all windows is the
// critical path. All events divided by the critical path is the greatest possible gain if every
// event costs the same and waiting costs nothing. Prints rows in Markdown. Runs one process per
// number of threads, because SystemC elaborates once per process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "config/yaml_reader.h"

namespace dcc::vp {
namespace {

class Unwatched final : public RunObserver {
 public:
  bool wants_progress() const override { return false; }
  void on_progress(const Progress&) override {}
};

/// Reads the event count of every partition once per lookahead window.
class Counter {
 public:
  explicit Counter(Platform& platform)
      : p_(platform), event_(Event::calling<&Counter::count>(*this, kEndRank)) {
    for (NodeId node = 0; node < static_cast<NodeId>(p_.topology.nodes().size()); ++node) {
      Scheduler* const part = &p_.partitions.scheduler_of(node);
      if (std::find(parts_.begin(), parts_.end(), part) == parts_.end()) parts_.push_back(part);
    }
    seen_.resize(parts_.size());
    whole_.resize(parts_.size());
    p_.scheduler.schedule_at(event_, p_.partition_plan.network.lookahead);
  }

  void print(unsigned wanted) const {
    std::uint64_t all = 0;
    for (const std::uint64_t part : whole_) all += part;
    const auto events = static_cast<double>(all);
    std::printf("| %u | %zu | %.1f M | %llu | %.0f | %.1f %% | %.2f |\n", wanted, parts_.size(),
                events / 1e6, static_cast<unsigned long long>(windows_),
                events / static_cast<double>(windows_),
                100 * static_cast<double>(*std::max_element(whole_.begin(), whole_.end())) / events,
                events / static_cast<double>(critical_));
  }

 private:
  void count() {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::uint64_t events = parts_[i]->events_run() - seen_[i];
      seen_[i] += events;
      whole_[i] += events;
      most = std::max(most, events);
    }
    critical_ += most;
    if (most != 0) ++windows_;
    p_.scheduler.schedule_in(event_, p_.partition_plan.network.lookahead);
  }

  Platform& p_;
  std::vector<Scheduler*> parts_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint64_t> whole_;
  std::uint64_t critical_ = 0;
  std::uint64_t windows_ = 0;
  Event event_;
};

int model(unsigned threads, const std::string& file, const std::vector<std::string>& overrides) {
  const LoadedConfig loaded = load_config(file, overrides);
  Unwatched observer;
  RunSetup setup;
  setup.threads = threads;
  Platform platform("platform", loaded.config, setup);
  if (!platform.partition_plan.refusal.empty()) {
    std::fprintf(stderr, "%s\n", platform.partition_plan.refusal.c_str());
    return 1;
  }
  RunLoop loop(platform, observer);
  Counter counter(platform);
  RunResults results;
  loop.run(results);
  counter.print(threads);
  return results.completed ? 0 : 1;
}

}  // namespace
}  // namespace dcc::vp

int sc_main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s THREADS[,THREADS...] CONFIG.yaml [key.path=value ...]\n",
                 argv[0]);
    return 2;
  }
  std::printf(
      "| threads | parts | events | windows | events a window | most in one part | gain, at most "
      "|\n"
      "|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  std::istringstream numbers(argv[1]);
  for (std::string number; std::getline(numbers, number, ',');) {
    const pid_t child = fork();
    if (child == 0) {
      int status = 1;
      try {
        status = dcc::vp::model(static_cast<unsigned>(std::stoul(number)), argv[2],
                                {argv + 3, argv + argc});
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      std::fflush(stdout);
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  return 0;
}
