// Requests of the core at the rate unit's pins.
#pragma once

#include <cstdint>

#include "controller/rate_tables.h"
#include "controller/rate_unit.h"
#include "rate_dut.h"

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

/// A read of the table's entry; with tbl_write and tbl_wdata a write.
inline RateInputs pins(RateTable table, std::uint32_t index) {
  RateInputs in;
  in.tbl_valid = true;
  in.tbl_table = static_cast<std::uint8_t>(table);
  in.tbl_index = static_cast<std::uint16_t>(index);
  return in;
}

}  // namespace dcc
