// Tests bit flips in a host's memory: at the configured time and address, and repeatedly.
#include "disturb/memory_faults.h"

#include <gtest/gtest.h>

#include <vector>

#include "app/boot_block.h"
#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "small_platform.h"
#include "software/host_driver.h"

namespace dcc::vp {
namespace {

// Address in the firmware's RAM that the program does not use.
constexpr std::uint32_t kFlipped = 0x80001234;

/// Reads the byte at kFlipped of a host at several times.
struct MemoryLooks {
  MemoryLooks(const std::string& faults, HostId host, const std::vector<int>& microseconds)
      : config(config_of("topology: {kind: star, hosts: 4}\nhost: {driver: native}\n"
                         "duration: 100us\nfaults: [" +
                         faults + "]\ntraffic: [{kind: incast, senders: 1..3, receiver: 0}]\n")),
        platform("platform", config, {}),
        loop(platform, observer) {
    for (const int us : microseconds) {
      looks.push_back(std::make_unique<Look>(*this, host));
      platform.scheduler.schedule_at(looks.back()->event, kMicroSecond * us);
    }
    RunResults results;
    loop.run(results);
    for (const auto& look : looks) seen.push_back(look->seen);
  }
  struct Look {
    Look(MemoryLooks& of, HostId at)
        : owner(of), host(at), event(Event::calling<&Look::look>(*this, kConsoleRank)) {}
    void look() {
      model::Ram& ram = owner.platform.hosts[host]->driver()->ram();
      seen = ram.data()[kFlipped - BOOT_RAM_BASE];
    }
    MemoryLooks& owner;
    HostId host;
    int seen = -1;
    Event event;
  };
  PlatformConfig config;
  Unwatched observer;
  Platform platform;
  RunLoop loop;
  std::vector<std::unique_ptr<Look>> looks;
  std::vector<int> seen;
};

std::string flip(const char* at, int host, int bit) {
  return "{kind: memory_flip, at: " + std::string(at) + ", host: " + std::to_string(host) +
         ", address: 0x80001234, bit: " + std::to_string(bit) + "}";
}

TEST(MemoryFaults, ABitTurnsOverAtItsInstantAndStays) {
  const MemoryLooks looks(flip("50us", 2, 5), 2, {49, 51, 99});
  EXPECT_EQ(looks.seen, (std::vector<int>{0, 32, 32}));
}

TEST(MemoryFaults, TwiceIsBackAgainAndOthersAreTheirOwn) {
  const MemoryLooks looks(
      flip("20us", 1, 0) + ", " + flip("40us", 1, 7) + ", " + flip("60us", 1, 0), 1,
      {10, 30, 50, 70});
  EXPECT_EQ(looks.seen, (std::vector<int>{0, 1, 129, 128}));
}

TEST(MemoryFaults, NoOtherHostsMemoryHasIt) {
  const MemoryLooks looks(flip("50us", 2, 5), 3, {99});
  EXPECT_EQ(looks.seen, (std::vector<int>{0}));
}

}  // namespace
}  // namespace dcc::vp
