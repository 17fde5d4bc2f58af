#include "machine/plic.h"

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
/// Mask of the existing sources in a word of source bits; source 0 does not exist.
std::uint32_t existing(unsigned word) {
  const unsigned count = Plic::kSources + 1 - 32 * word;
  const std::uint32_t bits = count >= 32 ? ~0u : (1u << count) - 1;
  return word == 0 ? bits & ~1u : bits;
}
/// Index of the word at `offset` in an array of `words` words at `base`; nothing if `offset` lies
/// outside the array.
std::optional<unsigned> word_in(std::uint32_t offset, std::uint32_t base, unsigned words) {
  if (offset < base || offset - base >= 4 * words) return std::nullopt;
  return (offset - base) / 4;
}

}  // namespace

Plic::Plic(const sc_core::sc_module_name& name, const sc_core::sc_time& latency, unsigned harts)
    : WordTarget(name, latency), contexts_(harts) {}

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
  if (!test(level_, source) || test(in_service_, source) || test(pending_, source)) return;
  assign(pending_, source, true);
  if (requests() != nullptr) requests()->requested(source);
}

void Plic::connect_hart(unsigned hart, Output output) {
  Context& context = contexts_.at(hart);
  context.on_output = std::move(output);
  if (context.output) context.on_output(true);
}

void Plic::update() {
  for (Context& context : contexts_) {
    const bool high = best_above(context, context.threshold) != 0;
    if (high == context.output) continue;
    context.output = high;
    if (context.on_output) context.on_output(high);
  }
}

std::optional<Plic::Place> Plic::place_of(std::uint32_t offset) const {
  // Distances in bytes between equal registers of two neighbouring contexts, by the PLIC
  // specification.
  constexpr std::uint32_t kEnableBytes = 0x80, kContextBytes = 0x1000;
  const bool enable = offset < VIRT_PLIC_THRESHOLD;
  const std::uint32_t base = enable ? VIRT_PLIC_ENABLE : VIRT_PLIC_THRESHOLD;
  if (offset < base) return std::nullopt;
  const std::uint32_t bytes = enable ? kEnableBytes : kContextBytes;
  const std::uint32_t context = (offset - base) / bytes;
  if (context >= contexts_.size()) return std::nullopt;
  return Place{context, offset - context * bytes};
}

unsigned Plic::best_above(const Context& context, std::uint32_t floor) const {
  unsigned best = 0;
  for (unsigned word = 0; word < kWords; ++word) {
    if ((pending_[word] & context.enable[word]) == 0) continue;
    for (unsigned source = 32 * word; source < 32 * (word + 1) && source <= kSources; ++source) {
      if (!test(pending_, source) || !test(context.enable, source) || priority_[source] <= floor) {
        continue;
      }
      best = source;
      floor = priority_[source];
    }
  }
  return best;
}

std::optional<std::uint32_t> Plic::peek(std::uint32_t offset) const {
  if (const auto source = word_in(offset, VIRT_PLIC_PRIORITY, kSources + 1)) {
    return priority_[*source];
  }
  if (const auto word = word_in(offset, VIRT_PLIC_PENDING, kWords)) return pending_[*word];
  const auto place = place_of(offset);
  if (!place) return 0;
  const Context& context = contexts_[place->context];
  if (const auto enables = word_in(place->offset, VIRT_PLIC_ENABLE, kWords)) {
    return context.enable[*enables];
  }
  if (place->offset == VIRT_PLIC_THRESHOLD) return context.threshold;
  return place->offset == VIRT_PLIC_CLAIM ? best_above(context, 0) : 0;
}

tlm::tlm_response_status Plic::read(std::uint32_t offset, std::uint32_t& value) {
  if (synchronise_) synchronise_();
  value = *peek(offset);
  const auto place = place_of(offset);
  if (place && place->offset == VIRT_PLIC_CLAIM && value != 0) {
    assign(pending_, value, false);
    assign(in_service_, value, true);
    if (requests() != nullptr) requests()->claimed(place->context, value);
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

void Plic::complete(const Context& context, std::uint32_t source) {
  if (source == 0 || source > kSources || !test(context.enable, source)) return;
  assign(in_service_, source, false);
  forward(source);
}

tlm::tlm_response_status Plic::write(std::uint32_t offset, std::uint32_t value) {
  if (synchronise_) synchronise_();
  if (const auto source = word_in(offset, VIRT_PLIC_PRIORITY, kSources + 1)) {
    if (*source != 0) priority_[*source] = value & kMaxPriority;
  } else if (const auto place = place_of(offset)) {
    Context& context = contexts_[place->context];
    if (const auto word = word_in(place->offset, VIRT_PLIC_ENABLE, kWords)) {
      context.enable[*word] = value & existing(*word);
    } else if (place->offset == VIRT_PLIC_THRESHOLD) {
      context.threshold = value & kMaxPriority;
    } else if (place->offset == VIRT_PLIC_CLAIM) {
      complete(context, value);
    }
  }
  update();
  return tlm::TLM_OK_RESPONSE;
}

std::vector<std::uint64_t> Plic::state() const {
  std::vector<std::uint64_t> all(priority_.begin(), priority_.end());
  for (const Bits* const bits : {&level_, &pending_, &contexts_[0].enable, &in_service_}) {
    all.insert(all.end(), bits->begin(), bits->end());
  }
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    const Context& context = contexts_[i];
    if (i != 0) all.insert(all.end(), context.enable.begin(), context.enable.end());
    all.push_back(context.threshold);
    all.push_back(context.output ? 1 : 0);
  }
  return all;
}

}  // namespace dcc::model
