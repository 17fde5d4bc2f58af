// Converts requests of the core to the rate unit's pins.
#pragma once

#include <array>
#include <cstdint>

#include "controller/rate_tables.h"
#include "controller/rate_unit.h"
#include "rate_dut.h"
#include "registers/generated/dcc_parameters.h"

namespace dcc {

inline RateInputs pins(const DecreaseRequest& request) {
  RateInputs in;
  in.req_valid = true;
  in.req_rc = request.rc;
  in.req_rt = request.rt;
  in.req_alpha = request.alpha;
  in.req_delta = request.delta;
  in.req_dscp = request.dscp;
  in.req_marks = request.marks;
  in.req_first = request.first;
  return in;
}

inline RateInputs pins(const IncreaseRequest& request) {
  RateInputs in;
  in.req_valid = true;
  in.req_increase = true;
  in.req_rc = request.rc;
  in.req_rt = request.rt;
  in.req_dscp = request.dscp;
  in.req_stage = static_cast<std::uint8_t>(request.stage);
  in.req_delta = request.packets;
  return in;
}

/// The eight register words, lowest first, in the order of rate_dut.sv.
using RateRegisterWords = std::array<std::uint32_t, 8>;
inline RateRegisterWords words_of(const RateRegisters& registers) {
  unsigned place = 0;
  const auto count = [&](const char*, std::uint32_t, unsigned bits, std::uint32_t) {
    place += bits;
  };
  regs::dcc_map::each_rate_register(registers, count);
  RateRegisterWords words{};
  const auto put = [&](const char*, std::uint32_t value, unsigned bits, std::uint32_t) {
    place -= bits;
    const std::uint64_t there = std::uint64_t{value} << place % 32;
    words.at(place / 32) |= static_cast<std::uint32_t>(there);
    if (there >> 32 != 0) words.at(place / 32 + 1) |= static_cast<std::uint32_t>(there >> 32);
  };
  regs::dcc_map::each_rate_register(registers, put);
  return words;
}

/// Returns the input pins for a read of a table entry; the caller sets tbl_write and tbl_wdata to
/// write the entry instead.
inline RateInputs pins(RateTable table, std::uint32_t index) {
  RateInputs in;
  in.tbl_valid = true;
  in.tbl_table = static_cast<std::uint8_t>(table);
  in.tbl_index = static_cast<std::uint16_t>(index);
  return in;
}

}  // namespace dcc
