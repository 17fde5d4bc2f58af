#include "plic.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "driver/memory_map_virt.h"

namespace dcc::model {
namespace {

template <class Bits>
bool test(const Bits& bits, unsigned source) {
  return (bits[source / 32] >> (source % 32) & 1u) != 0;
}
template <class Bits>
void assign(Bits& bits, unsigned source, bool high) {
  const std::uint32_t bit = 1u << (source % 32);
  bits[source / 32] = high ? bits[source / 32] | bit : bits[source / 32] & ~bit;
}
/// Mask of the sources in a word that exist; source 0 does not exist.
std::uint32_t existing(unsigned word) {
  const unsigned count = Plic::kSources + 1 - 32 * word;
  const std::uint32_t bits = count >= 32 ? ~0u : (1u << count) - 1;
  return word == 0 ? bits & ~1u : bits;
}
/// Index of the word at `offset` in an array of `words` at `base`.
std::optional<unsigned> word_in(std::uint32_t offset, std::uint32_t base, unsigned words) {
  if (offset < base || offset - base >= 4 * words) return std::nullopt;
  return (offset - base) / 4;
}

}  // namespace

Plic::Plic(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
    : WordTarget(name, latency) {}

void Plic::set_level(unsigned source, bool high) {
  if (source == 0 || source > kSources) {
    throw std::out_of_range("interrupt source " + std::to_string(source) +
                            " does not exist: there are 1 to " + std::to_string(kSources));
  }
  assign(level_, source, high);
  forward(source);
  update();
}

void Plic::forward(unsigned source) {
  if (test(level_, source) && !test(in_service_, source)) assign(pending_, source, true);
}

void Plic::connect_output(Output output) {
  on_output_ = std::move(output);
  if (output_) on_output_(true);
}

void Plic::update() {
  const bool high = best_above(threshold_) != 0;
  if (high == output_) return;
  output_ = high;
  if (on_output_) on_output_(high);
}

unsigned Plic::best_above(std::uint32_t floor) const {
  unsigned best = 0;
  for (unsigned word = 0; word < kWords; ++word) {
    if ((pending_[word] & enable_[word]) == 0) continue;
    for (unsigned source = 32 * word; source < 32 * (word + 1) && source <= kSources; ++source) {
      if (!test(pending_, source) || !test(enable_, source) || priority_[source] <= floor) continue;
      best = source;
      floor = priority_[source];
    }
  }
  return best;
}

bool Plic::peek(std::uint32_t offset, std::uint32_t& value) const {
  value = 0;
  if (const auto source = word_in(offset, VIRT_PLIC_PRIORITY, kSources + 1)) {
    value = priority_[*source];
  } else if (const auto word = word_in(offset, VIRT_PLIC_PENDING, kWords)) {
    value = pending_[*word];
  } else if (const auto enables = word_in(offset, VIRT_PLIC_ENABLE, kWords)) {
    value = enable_[*enables];
  } else if (offset == VIRT_PLIC_THRESHOLD) {
    value = threshold_;
  } else if (offset == VIRT_PLIC_CLAIM) {
    value = best_above(0);
  }
  return true;
}

tlm::tlm_response_status Plic::read(std::uint32_t offset, std::uint32_t& value) {
  if (synchronise_) synchronise_();
  peek(offset, value);
  if (offset == VIRT_PLIC_CLAIM && value != 0) {
    assign(pending_, value, false);
    assign(in_service_, value, true);
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

void Plic::complete(std::uint32_t source) {
  if (source == 0 || source > kSources || !test(enable_, source)) return;
  assign(in_service_, source, false);
  forward(source);
}

tlm::tlm_response_status Plic::write(std::uint32_t offset, std::uint32_t value) {
  if (synchronise_) synchronise_();
  if (const auto source = word_in(offset, VIRT_PLIC_PRIORITY, kSources + 1)) {
    if (*source != 0) priority_[*source] = value & kMaxPriority;
  } else if (const auto word = word_in(offset, VIRT_PLIC_ENABLE, kWords)) {
    enable_[*word] = value & existing(*word);
  } else if (offset == VIRT_PLIC_THRESHOLD) {
    threshold_ = value & kMaxPriority;
  } else if (offset == VIRT_PLIC_CLAIM) {
    complete(value);
  }
  update();
  return tlm::TLM_OK_RESPONSE;
}

std::vector<std::uint64_t> Plic::state() const {
  std::vector<std::uint64_t> all(priority_.begin(), priority_.end());
  for (const Bits* const bits : {&level_, &pending_, &enable_, &in_service_}) {
    all.insert(all.end(), bits->begin(), bits->end());
  }
  all.push_back(threshold_);
  all.push_back(output_ ? 1 : 0);
  return all;
}

}  // namespace dcc::model
