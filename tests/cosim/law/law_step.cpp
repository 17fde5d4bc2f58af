// Computes one event of one slot by the model, for comparison with the terms of law_proof.py.
//
//   law_step < VECTORS
//
// A line of whole numbers is a word for a table or a vector:
//   t TABLE INDEX WORD
//   v LAW EVENT REGISTERS… CLASS… SLOT… OPERANDS…
// (read() has the order). For each vector it prints the slot after the event, and a flag: a CNP was
// coalesced, bytes led to an increase, a timer event found the rate at its maximum.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "controller/law/law.h"
#include "controller/rate_unit.h"

namespace dcc {
namespace {

enum Event : std::uint32_t { kBinding, kCnp, kSent, kTimer };

struct Vector {
  std::uint32_t law = 0, event = 0;
  ControllerParameters parameters;
  std::uint32_t factor = 0, floor = 0, ceiling = 0;
  SlotParameters slot;
  std::uint32_t marks = 0, packets = 0, delta = 0, length = 0;
};

std::uint32_t word() {
  std::int64_t value = 0;
  return std::scanf("%" SCNd64, &value) == 1 ? static_cast<std::uint32_t>(value) : 0;
}
std::uint8_t byte() { return static_cast<std::uint8_t>(word()); }
std::uint16_t half() { return static_cast<std::uint16_t>(word()); }

Vector read() {
  Vector v;
  v.law = word();
  v.event = word();
  ControllerParameters& p = v.parameters;
  p.rate.law = static_cast<std::uint8_t>(v.law);
  p.rate.cut_by_marks = word() != 0;
  p.keep_target = word() != 0;
  p.byte_counter = word() != 0;
  p.rate.g = half();
  p.rate.r_ai = word();
  p.rate.r_hai = word();
  p.rate.mi = half();
  p.rate.r_min = word();
  p.rate.r_max = word();
  p.rate.alpha_recip = word();
  p.rate.first_cut = word();
  p.rate.mark_shift = byte();
  p.rate.cut_floor = word();
  p.timer_interval = half();
  p.byte_threshold = word();
  p.fast_recovery = byte();
  p.decrease_period = word();
  p.silence = byte();
  p.brisk = byte();
  p.initial_rate = word();
  p.initial_alpha = word();
  const std::uint32_t f_inc = word();
  v.factor = word() << 16 | f_inc;
  v.floor = word();
  v.ceiling = word();
  v.slot.rc = word();
  v.slot.rt = word();
  v.slot.alpha = word();
  v.slot.pkt_length = word();
  v.slot.t = byte();
  v.slot.bc = byte();
  v.marks = word();
  v.packets = word();
  v.delta = word();
  v.length = word();
  return v;
}

/// A newly bound slot, initialised as CongestionManager initialises it.
SlotParameters bound(const Vector& v, const Law& law, const RateTables& tables) {
  SlotParameters slot;
  slot.rc = std::min(v.parameters.initial_rate, rate_limits(v.parameters.rate, tables, 0).hi);
  slot.rt = slot.rc;
  law.begin(slot, v.parameters);
  return slot;
}

bool play(Vector& v, RateTables& tables) {
  tables.write(RateTable::kFactor, 0, v.factor);
  tables.write(RateTable::kFloor, 0, v.floor);
  tables.write(RateTable::kCeiling, 0, v.ceiling);
  RateUnit unit;
  unit.look_up_in(tables);
  unit.load(v.parameters.rate);
  ControllerStatistics statistics;
  LawPort port(v.parameters, unit, statistics);
  const Law& law = Law::of_number(v.law);
  switch (v.event) {
    case kBinding:
    case kCnp: {
      const bool first = v.event == kBinding;
      if (first) v.slot = bound(v, law, tables);
      CnpEvent cnp;
      cnp.marks = static_cast<std::uint8_t>(v.marks);
      cnp.packets = static_cast<std::uint8_t>(v.packets);
      cnp.first = first;
      cnp.delta = first ? 0 : v.delta;
      return law.notify(v.slot, cnp, port) == CnpOutcome::kCoalesced;
    }
    case kSent:
      // The condition of an increase by bytes equals that of CongestionManager::over_threshold().
      if (law.increases_by_bytes() && v.parameters.byte_counter &&
          std::uint64_t{v.slot.pkt_length} + v.length > v.parameters.byte_threshold) {
        law.byte_event(v.slot, v.length, port);
        return true;
      }
      law.sent(v.slot, v.length, v.packets, v.parameters);
      return false;
    default:
      return law.timer(v.slot, v.delta, port);
  }
}

}  // namespace
}  // namespace dcc

int main() {
  dcc::RateTables tables;
  char kind = 0;
  while (std::scanf(" %c", &kind) == 1) {
    if (kind == 't') {
      const auto table = static_cast<dcc::RateTable>(dcc::word());
      const std::uint32_t index = dcc::word();
      tables.write(table, index, dcc::word());
      continue;
    }
    dcc::Vector v = dcc::read();
    const bool flag = dcc::play(v, tables);
    std::printf("%u %u %u %u %u %u %u\n", v.slot.rc, v.slot.rt, v.slot.alpha, v.slot.pkt_length,
                v.slot.t, v.slot.bc, flag ? 1u : 0u);
  }
  return 0;
}
