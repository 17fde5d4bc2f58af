#include "riscv/race_detector.h"

#include <algorithm>

namespace dcc::riscv {
namespace {

constexpr unsigned kFenceRead = 2, kFenceWrite = 1, kFenceInput = 8, kFenceOutput = 4;

template <class Clock>
void join(Clock& into, const Clock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

}  // namespace

class RaceDetector::Observer final : public AccessObserver {
 public:
  Observer(RaceDetector& owner, unsigned hart) : owner_(owner), hart_(hart) {}
  void accessed(Kind kind, std::uint32_t address, std::uint32_t size, std::uint32_t pc,
                Ordering ordering) override {
    owner_.accessed(hart_, kind, address, size, pc, ordering);
  }
  void fenced(unsigned predecessors, unsigned successors) override {
    owner_.fenced(hart_, predecessors, successors);
  }
  void interrupted() override { owner_.interrupted(hart_); }

 private:
  RaceDetector& owner_;
  unsigned hart_;
};

RaceDetector::RaceDetector(unsigned harts, std::uint32_t base, std::uint32_t bytes)
    : harts_(harts), base_(base), bytes_(bytes) {
  for (unsigned hart = 0; hart < harts; ++hart) {
    observers_.push_back(std::make_unique<Observer>(*this, hart));
  }
  for (unsigned i = 0; i < kMasters; ++i) masters_[i].now[i] = 1;
}

RaceDetector::Word& RaceDetector::word_at(std::uint32_t address) {
  const std::uint32_t number = (address - base_) / 4;
  std::unique_ptr<Page>& page = pages_[number / kPageWords];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[number % kPageWords];
}

template <class Visit>
void RaceDetector::each_word(std::uint64_t address, std::uint64_t bytes, Visit visit) {
  const std::uint64_t end = std::min<std::uint64_t>(address + bytes, std::uint64_t{base_} + bytes_);
  for (std::uint64_t at = std::max<std::uint64_t>(address, base_) & ~std::uint64_t{3}; at < end;
       at += 4) {
    visit(static_cast<std::uint32_t>(at), word_at(static_cast<std::uint32_t>(at)));
  }
}

/// Publishes a master's events before this point, but not its later events.
void RaceDetector::publish(Master& master, unsigned number) {
  master.published = master.now;
  ++master.now[number];
}

void RaceDetector::accessed(unsigned hart, AccessObserver::Kind kind, std::uint32_t address,
                            std::uint32_t size, std::uint32_t pc,
                            AccessObserver::Ordering ordering) {
  const bool is_store = kind == AccessObserver::Kind::kStore;
  if (address - base_ >= bytes_) {
    access_device(hart, is_store);
    return;
  }
  Master& master = masters_[hart];
  if (!is_store) {
    each_word(address, size,
              [&](std::uint32_t at, Word& word) { load(hart, at, word, pc, ordering); });
    return;
  }
  if (ordering.release) publish(master, hart);
  const bool shared = ordering.atomic || master.behind_fence;
  each_word(address, size,
            [&](std::uint32_t at, Word& word) { store(hart, at, word, pc, ordering, shared); });
  if (!ordering.atomic) master.behind_fence = false;
}

void RaceDetector::load(unsigned number, std::uint32_t address, Word& word, std::uint32_t pc,
                        AccessObserver::Ordering ordering) {
  Master& master = masters_[number];
  if (word.written != 0 && word.writer != number) {
    const bool by_dma = word.writer == dma();
    // A load of data that DMA wrote is a race only if the hart has seen a later write by DMA.
    const bool polls = by_dma && master.pending[word.writer] < word.written;
    if (!is_before(word, master) && !word.shared && !ordering.atomic && !polls) {
      report(address, {word.writer, true, word.written_pc}, {number, false, pc});
    }
    join(master.pending, word.published);
    if (ordering.acquire) join(master.now, word.published);
  }
  if (!ordering.atomic) {
    word.read[number] = master.now[number];
    word.read_pc[number] = pc;
  }
}

void RaceDetector::store(unsigned number, std::uint32_t address, Word& word, std::uint32_t pc,
                         AccessObserver::Ordering ordering, bool shared) {
  Master& master = masters_[number];
  const Side self{number, true, pc};
  if (word.written != 0 && word.writer != number && !is_before(word, master) &&
      !(shared && word.shared)) {
    report(address, {word.writer, true, word.written_pc}, self);
  }
  for (unsigned other = 0; other <= harts_ && !shared; ++other) {
    if (other == number || word.read[other] <= master.now[other]) continue;
    const bool polled = number == dma();
    if (!polled) report(address, {other, false, word.read_pc[other]}, self);
  }
  // An atomic operation continues the release sequence of the word.
  if (!ordering.atomic) word.published = Clock{};
  join(word.published, master.published);
  word.written = master.now[number];
  word.written_pc = pc;
  word.writer = static_cast<std::uint8_t>(number);
  word.shared = shared;
  word.read.fill(0);
}

void RaceDetector::fenced(unsigned hart, unsigned predecessors, unsigned successors) {
  Master& master = masters_[hart];
  const bool acquires = (predecessors & (kFenceRead | kFenceInput)) != 0 &&
                        (successors & (kFenceRead | kFenceWrite)) != 0;
  const bool publishes =
      (predecessors & kFenceWrite) != 0 && (successors & (kFenceWrite | kFenceOutput)) != 0;
  if (acquires) join(master.now, master.pending);
  if (!publishes) return;
  publish(master, hart);
  master.behind_fence = true;
}

void RaceDetector::interrupted(unsigned hart) {
  Master& master = masters_[hart];
  join(master.now, devices_);
  join(master.now, masters_[dma()].now);
  // DMA's present time belongs to DMA's next write, which does not precede the interrupt.
  --master.now[dma()];
}

void RaceDetector::access_device(unsigned hart, bool store) {
  Master& master = masters_[hart];
  if (store) {
    join(devices_, master.published);
    master.behind_fence = false;
    return;
  }
  join(master.pending, devices_);
  join(master.now, masters_[dma()].now);
  --master.now[dma()];
}

void RaceDetector::begin_dma() { join(masters_[dma()].now, devices_); }

void RaceDetector::dma_read(std::uint64_t address, std::uint64_t bytes) {
  begin_dma();
  each_word(address, bytes, [&](std::uint32_t at, Word& word) { load(dma(), at, word, 0, {}); });
}

void RaceDetector::dma_wrote(std::uint64_t address, std::uint64_t bytes) {
  begin_dma();
  Master& master = masters_[dma()];
  master.published = master.now;
  each_word(address, bytes,
            [&](std::uint32_t at, Word& word) { store(dma(), at, word, 0, {}, false); });
  ++master.now[dma()];
}

void RaceDetector::report(std::uint32_t address, const Side& first, const Side& second) {
  ++count_;
  const auto key = std::make_tuple(first.pc, second.pc, first.master * 2 + (first.store ? 1u : 0u),
                                   second.master * 2 + (second.store ? 1u : 0u));
  if (seen_[key]++ == 0 && races_.size() < kKept) races_.push_back({address, first, second});
}

std::string race_sentence(const RaceDetector::Race& race, unsigned dma,
                          const std::function<std::string(std::uint32_t)>& name) {
  const auto side = [&](const RaceDetector::Side& one) {
    const std::string what = one.store ? "store" : "load";
    if (one.master == dma) return "DMA " + what;
    return "hart " + std::to_string(one.master) + " " + what + " at pc " + name(one.pc);
  };
  return "race at address " + name(race.address) + ": " + side(race.first) + ", then " +
         side(race.second) + ", and neither fence, atomic operation nor doorbell orders them";
}

}  // namespace dcc::riscv
