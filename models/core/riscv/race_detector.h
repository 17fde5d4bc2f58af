// Finds accesses to shared memory that no fence, atomic operation, doorbell or interrupt orders.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "riscv/access_observer.h"

namespace dcc::riscv {

/// A race detector, which tracks the happens-before relation between the harts of a host and its
/// DMA by vector clocks over words of RAM (C. Flanagan, S. Freund, FastTrack, PLDI 2009, with the
/// fence rules of RVWMO). The detector neither changes the program nor needs to know it.
///
/// Order between harts: a store behind a fence, or an atomic operation with rl, publishes all
/// earlier events of its hart. Another hart comes after these events if it loads the stored value
/// and then executes a fence, or loads the value by an atomic operation with aq.
///
/// Order with devices: a store to a device publishes the events before the hart's last fence. DMA
/// and interrupts come after such a store. An interrupt and a load of a device's register come
/// after all DMA so far.
///
/// A race is a pair of accesses to one word by two masters, at least one of them a store, without
/// such order. Four kinds of accesses do not count as races: atomic operations; the first store
/// behind a fence, which is how flags are set; a load that polls data written by DMA, until the
/// hart has seen later DMA without a fence in between; and DMA over data that a hart polled.
class RaceDetector final {
 public:
  static constexpr unsigned kMaxHarts = 4;

  struct Side {
    unsigned master = 0;  // number of the accessing hart, or dma()
    bool store = false;
    std::uint32_t pc = 0;  // address of the accessing instruction; 0 for DMA
  };
  struct Race {
    std::uint32_t address = 0;
    Side first, second;  // the two racing accesses in the order of the run
  };
  /// Number of different races kept for the report; further ones are counted.
  static constexpr std::size_t kKept = 20;

  /// Makes a detector for RAM at [base, base + bytes); every other address is a device.
  RaceDetector(unsigned harts, std::uint32_t base, std::uint32_t bytes);
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  AccessObserver& observer(unsigned hart) { return *observers_[hart]; }
  unsigned dma() const { return harts_; }
  void dma_read(std::uint64_t address, std::uint64_t bytes);
  void dma_wrote(std::uint64_t address, std::uint64_t bytes);

  /// Races found so far, each between another pair of instructions, in the order of the run; at
  /// most the first kKept.
  const std::vector<Race>& races() const { return races_; }
  /// Number of pairs of accesses that race, those of the same instructions included.
  std::uint64_t count() const { return count_; }
  /// Number of pairs of instructions that race, those beyond kKept included.
  std::size_t different() const { return seen_.size(); }

 private:
  static constexpr unsigned kMasters = kMaxHarts + 1;
  using Clock = std::array<std::uint32_t, kMasters>;
  class Observer;

  /// State of one word of RAM. Times are the accessing master's own component of its vector clock;
  /// 0: never.
  struct Word {
    Clock published{};          // vector clock that the last store published
    std::uint32_t written = 0;  // time of the last store to the word
    std::uint32_t written_pc = 0;
    // time of each master's last read since the last store
    std::array<std::uint32_t, kMasters> read{};
    std::array<std::uint32_t, kMasters> read_pc{};
    std::uint8_t writer = 0;
    bool shared = false;  // the last store was atomic, or the first behind a fence
  };
  struct Master {
    Clock now{};                // clock of the events that happened before the present one
    Clock pending{};            // clock of observed events that await a fence
    Clock published{};          // clock of the events that the last fence published
    bool behind_fence = false;  // true if no store followed the last fence
  };
  static constexpr std::uint32_t kPageWords = 1024;
  using Page = std::array<Word, kPageWords>;

  void accessed(unsigned hart, AccessObserver::Kind kind, std::uint32_t address, std::uint32_t size,
                std::uint32_t pc, AccessObserver::Ordering ordering);
  void fenced(unsigned hart, unsigned predecessors, unsigned successors);
  void interrupted(unsigned hart);
  void load(unsigned master, std::uint32_t address, Word& word, std::uint32_t pc,
            AccessObserver::Ordering ordering);
  void store(unsigned master, std::uint32_t address, Word& word, std::uint32_t pc,
             AccessObserver::Ordering ordering, bool shared);
  void access_device(unsigned hart, bool store);
  template <class Visit>
  void each_word(std::uint64_t address, std::uint64_t bytes, Visit visit);
  Word& word_at(std::uint32_t address);
  static void publish(Master& master, unsigned number);
  void begin_dma();
  bool is_before(const Word& word, const Master& master) const {
    return word.written <= master.now[word.writer];
  }
  void report(std::uint32_t address, const Side& first, const Side& second);

  unsigned harts_;
  std::uint32_t base_;
  std::uint32_t bytes_;
  std::vector<std::unique_ptr<AccessObserver>> observers_;
  std::array<Master, kMasters> masters_;
  Clock devices_{};  // clock of the events published by stores to devices
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
  std::vector<Race> races_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, unsigned>, std::uint64_t> seen_;
  std::uint64_t count_ = 0;
};

/// One sentence on a race: "hart 1: store at 0x… (f+0x4) to 0x… (counter); hart 0: load at …".
/// `name` names an address.
std::string race_sentence(const RaceDetector::Race& race, unsigned dma,
                          const std::function<std::string(std::uint32_t)>& name);

}  // namespace dcc::riscv
